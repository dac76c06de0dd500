ALTER TABLE "pipeline_versions" ADD COLUMN "approvals" jsonb;
