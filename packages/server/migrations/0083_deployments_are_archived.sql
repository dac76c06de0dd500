CREATE TABLE "deployment_archives" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"project_id" text NOT NULL,
	"object_key" text NOT NULL,
	"sealed_key" text NOT NULL,
	"stored_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "deployment_archives" ADD CONSTRAINT "deployment_archives_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deployment_archives" ADD CONSTRAINT "deployment_archives_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "deployment_archives_organization" ON "deployment_archives" USING btree ("organization_id","id");--> statement-breakpoint
CREATE INDEX "deployment_archives_project" ON "deployment_archives" USING btree ("project_id");--> statement-breakpoint
SELECT wall_off('deployment_archives');
--> statement-breakpoint
SELECT show_if('deployment_archives', '(ARRAY[project_id] && (SELECT hidden_places())) IS NOT TRUE');
--> statement-breakpoint
-- Whatever removes the row, its object is not forgotten.
CREATE TRIGGER leave_archive AFTER DELETE ON deployment_archives FOR EACH ROW EXECUTE FUNCTION leave_archive();--> statement-breakpoint
ALTER TABLE "deployments" ADD COLUMN "archive_id" text;--> statement-breakpoint
CREATE INDEX "deployments_archive" ON "deployments" USING btree ("archive_id") WHERE archive_id is not null;--> statement-breakpoint
CREATE INDEX "deployments_to_archive" ON "deployments" USING btree ("project_id","completed_at") WHERE archive_id is null and completed_at is not null;--> statement-breakpoint
-- What is long in a deployment, and is read only where the deployment itself is shown: no statement asks for it.
CREATE FUNCTION is_long_data(part text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT part IN ('events', 'serviceDeploymentState', 'elbListenerState', 'previousTaskDefinition', 'instances', 'analysis')
$$;
--> statement-breakpoint
CREATE FUNCTION long_data_of_deployment(whole jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = public AS $$
  SELECT coalesce(jsonb_object_agg(key, value) FILTER (WHERE is_long_data(key)), '{}') FROM jsonb_each(whole)
$$;
--> statement-breakpoint
CREATE FUNCTION without_long_data(whole jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = public AS $$
  SELECT coalesce(jsonb_object_agg(key, value) FILTER (WHERE NOT is_long_data(key)), '{}') FROM jsonb_each(whole)
$$;
--> statement-breakpoint
-- One that is over no longer changes; that what is long in it is elsewhere changes nothing of it.
CREATE OR REPLACE FUNCTION refuse_change_of_final_deployment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.archive_id IS NULL AND NEW.archive_id IS NOT NULL AND NEW.data = without_long_data(OLD.data)
    AND to_jsonb(NEW) - '{archive_id,data}'::text[] = to_jsonb(OLD) - '{archive_id,data}'::text[]
  THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'deployment % is % and can no longer change', OLD.id, OLD.status USING ERRCODE = 'check_violation';
END
$$;
--> statement-breakpoint
-- Nor need anybody look at it again.
DROP TRIGGER change_noted ON deployments;--> statement-breakpoint
CREATE TRIGGER change_noted AFTER INSERT OR DELETE ON deployments FOR EACH ROW EXECUTE FUNCTION note_change_of_deployments();--> statement-breakpoint
CREATE TRIGGER change_noted_of_update AFTER UPDATE ON deployments FOR EACH ROW
  WHEN (OLD.archive_id IS NOT DISTINCT FROM NEW.archive_id) EXECUTE FUNCTION note_change_of_deployments();--> statement-breakpoint
-- What no deployment is in any more goes. As its owner, as the archive of logs.
CREATE FUNCTION leave_empty_archives() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  DELETE FROM deployment_archives archive
  WHERE archive.id IN (SELECT gone.archive_id FROM gone WHERE gone.archive_id IS NOT NULL)
    AND NOT EXISTS (SELECT FROM deployments left_in WHERE left_in.archive_id = archive.id);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER leave_empty_archives AFTER DELETE ON deployments REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION leave_empty_archives();
