ALTER TABLE "environments" ADD COLUMN "position" integer;--> statement-breakpoint
CREATE INDEX "deployments_running" ON "deployments" USING btree ("module_instance_id","completed_at") WHERE status = 'SUCCESS';--> statement-breakpoint
CREATE INDEX "iac_resources_drifted" ON "iac_resources" USING btree ("organization_id","stack_id","address") WHERE drift_status = 'DRIFTED' and is_in_current_state;