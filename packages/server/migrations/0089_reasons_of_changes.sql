-- Why a plan changes a resource, and what approvers see of a plan beside its resources; null in earlier rows.
ALTER TABLE "iac_resources" ADD COLUMN "change_reasons" jsonb;
--> statement-breakpoint
ALTER TABLE "iac_plans" ADD COLUMN "review" jsonb;
