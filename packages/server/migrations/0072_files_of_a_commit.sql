ALTER TABLE "applied_files" ADD COLUMN "source" jsonb;
