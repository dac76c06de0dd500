ALTER TABLE "artifacts" ADD COLUMN "provenance" jsonb;
