ALTER TABLE "code_sources" ADD COLUMN "former_repo_urls" text[] DEFAULT '{}' NOT NULL;
