ALTER TABLE "audit_events" DROP CONSTRAINT "audit_events_organization_id_organizations_id_fk";
--> statement-breakpoint
ALTER TABLE "audit_events" ADD COLUMN "channel" text;--> statement-breakpoint
UPDATE "audit_events" SET "channel" = CASE
  WHEN "user_agent" LIKE 'sluice-cli%' THEN 'CLI' WHEN "user_agent" LIKE 'Mozilla/%' THEN 'CONSOLE' ELSE 'API' END;--> statement-breakpoint
ALTER TABLE "audit_events" ALTER COLUMN "channel" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "audit_events" ADD COLUMN "before" jsonb;--> statement-breakpoint
ALTER TABLE "module_instance_applies" ADD COLUMN "author" jsonb;--> statement-breakpoint
UPDATE "module_instance_applies" SET "author" = jsonb_build_object('organizationId', "organization_id",
  'actorType', 'SERVICE', 'actorId', 'sluice', 'actorName', "triggered_by", 'channel', 'SERVICE');--> statement-breakpoint
ALTER TABLE "module_instance_applies" ALTER COLUMN "author" SET NOT NULL;--> statement-breakpoint
CREATE INDEX "audit_events_created" ON "audit_events" USING btree ("created_at");
--> statement-breakpoint
-- Lines of the audit log go in this role alone. The role belongs to the whole server, so another database may have made
-- it already, even at this moment.
DO $$
BEGIN
  CREATE ROLE sluice_audit_retention NOLOGIN;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END
$$;
--> statement-breakpoint
DO $$
BEGIN
  EXECUTE format('GRANT sluice_audit_retention TO %I', current_user);
EXCEPTION WHEN unique_violation OR invalid_grant_operation THEN NULL;
END
$$;
--> statement-breakpoint
GRANT USAGE ON SCHEMA public TO sluice_audit_retention;
--> statement-breakpoint
GRANT SELECT, DELETE ON audit_events TO sluice_audit_retention;
--> statement-breakpoint
CREATE POLICY retention ON audit_events TO sluice_audit_retention USING (true);
--> statement-breakpoint
-- Lines that go are no longer counted.
GRANT SELECT, INSERT, UPDATE ON row_counts TO sluice_audit_retention;
--> statement-breakpoint
CREATE POLICY retention ON row_counts TO sluice_audit_retention USING (true);
--> statement-breakpoint
-- Whoever asks, the owner of the tables included: a line that was written stays as it was written.
CREATE FUNCTION audit_events_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND current_user = 'sluice_audit_retention' THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'a line of the audit log is neither changed nor removed' USING ERRCODE = 'restrict_violation';
END
$$;
--> statement-breakpoint
CREATE TRIGGER audit_events_stay BEFORE UPDATE OR DELETE ON audit_events FOR EACH ROW EXECUTE FUNCTION audit_events_stay();
--> statement-breakpoint
CREATE TRIGGER audit_events_stay_whole BEFORE TRUNCATE ON audit_events FOR EACH STATEMENT EXECUTE FUNCTION audit_events_stay();
