ALTER TABLE "audit_events" ADD COLUMN "project_id" text;--> statement-breakpoint
ALTER TABLE "audit_events" ADD COLUMN "environment_id" text;--> statement-breakpoint
CREATE INDEX "audit_events_project" ON "audit_events" USING btree ("organization_id","project_id","id") WHERE project_id is not null;--> statement-breakpoint
SELECT show_if('audit_events', '(ARRAY[project_id, environment_id] && (SELECT hidden_places())) IS NOT TRUE');
