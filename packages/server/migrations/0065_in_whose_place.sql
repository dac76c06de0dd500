ALTER TABLE "deployment_approvals" ADD COLUMN "in_place_of" jsonb;
--> statement-breakpoint
ALTER TABLE "step_approvals" ADD COLUMN "in_place_of" jsonb;
