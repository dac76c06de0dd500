DROP INDEX "audit_events_created";--> statement-breakpoint
ALTER TABLE "organizations" ADD COLUMN "audit_retention_days" integer;--> statement-breakpoint
ALTER TABLE "git_deliveries" ADD COLUMN "body_hash" text;--> statement-breakpoint
CREATE INDEX "audit_events_actor_name" ON "audit_events" USING btree ("organization_id","actor_name" text_pattern_ops,"id");--> statement-breakpoint
CREATE UNIQUE INDEX "git_deliveries_body_once" ON "git_deliveries" USING btree ("sender","body_hash");--> statement-breakpoint
CREATE INDEX "audit_events_created" ON "audit_events" USING btree ("organization_id","created_at");--> statement-breakpoint
-- The line that says what was removed is written by the role that removes, in the same transaction.
GRANT INSERT ON audit_events TO sluice_audit_retention;
