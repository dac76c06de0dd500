ALTER TABLE "pipeline_versions" ADD COLUMN "approvals" jsonb;--> statement-breakpoint
ALTER TABLE "hold_rules" ADD COLUMN "mode" text DEFAULT 'ENFORCE' NOT NULL;
