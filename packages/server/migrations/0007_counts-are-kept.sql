CREATE TABLE "row_counts" (
	"id" text PRIMARY KEY NOT NULL,
	"organization_id" text NOT NULL,
	"table_name" text NOT NULL,
	"row_count" bigint NOT NULL
);
--> statement-breakpoint
DROP INDEX "deployments_module_instance";--> statement-breakpoint
DROP INDEX "pipeline_runs_pipeline";--> statement-breakpoint
CREATE INDEX "row_counts_table" ON "row_counts" USING btree ("organization_id","table_name");--> statement-breakpoint
CREATE INDEX "audit_events_resource" ON "audit_events" USING btree ("organization_id","resource_id","id");--> statement-breakpoint
CREATE INDEX "audit_events_actor" ON "audit_events" USING btree ("organization_id","actor_id","id");--> statement-breakpoint
CREATE INDEX "audit_events_action" ON "audit_events" USING btree ("organization_id","action","id");--> statement-breakpoint
CREATE INDEX "deployments_environment" ON "deployments" USING btree ("environment_id","organization_id","id");--> statement-breakpoint
CREATE INDEX "deployments_project" ON "deployments" USING btree ("project_id","organization_id","id");--> statement-breakpoint
CREATE INDEX "deployments_status" ON "deployments" USING btree ("organization_id","status","id");--> statement-breakpoint
CREATE INDEX "deployments_pipeline_run" ON "deployments" USING btree ("pipeline_run_id") WHERE pipeline_run_id is not null;--> statement-breakpoint
CREATE INDEX "infrastructure_events_account" ON "infrastructure_events" USING btree ("cloud_account_id","organization_id","id");--> statement-breakpoint
CREATE INDEX "module_versions_organization" ON "module_versions" USING btree ("organization_id","id");--> statement-breakpoint
CREATE INDEX "pipeline_runs_status" ON "pipeline_runs" USING btree ("organization_id","status","id");--> statement-breakpoint
CREATE INDEX "pipeline_step_executions_status" ON "pipeline_step_executions" USING btree ("organization_id","status","id");--> statement-breakpoint
CREATE INDEX "pipeline_versions_organization" ON "pipeline_versions" USING btree ("organization_id","id");--> statement-breakpoint
CREATE INDEX "deployments_module_instance" ON "deployments" USING btree ("module_instance_id","organization_id","id");--> statement-breakpoint
CREATE INDEX "pipeline_runs_pipeline" ON "pipeline_runs" USING btree ("pipeline_id","organization_id","id");--> statement-breakpoint
SELECT wall_off('row_counts');
--> statement-breakpoint
-- Writes into a row that nobody else holds, or a new one: nobody waits, nobody can deadlock, and the sum over all rows
-- is what every transaction sees of the counted table. There come to be as many rows as there were writers at a time.
CREATE FUNCTION keep_count() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  change record;
BEGIN
  FOR change IN
    SELECT organization_id, count(*) * CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END AS difference
    FROM changed GROUP BY organization_id
  LOOP
    UPDATE row_counts SET row_count = row_count + change.difference WHERE id = (
      SELECT id FROM row_counts
      WHERE organization_id = change.organization_id AND table_name = TG_TABLE_NAME
      LIMIT 1 FOR UPDATE SKIP LOCKED);
    CONTINUE WHEN FOUND;
    INSERT INTO row_counts (id, organization_id, table_name, row_count)
    VALUES (gen_random_uuid(), change.organization_id, TG_TABLE_NAME, change.difference);
  END LOOP;
  RETURN NULL;
END
$$;
--> statement-breakpoint
-- Counts what is in a table of an organization's rows and keeps counting. The triggers come first: making them waits for
-- those who write, and lets nobody write before the migration ends.
CREATE FUNCTION keep_count_of(counted regclass) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE TRIGGER count_inserted AFTER INSERT ON %s REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION keep_count()', counted);
  EXECUTE format('CREATE TRIGGER count_deleted AFTER DELETE ON %s REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION keep_count()', counted);
  EXECUTE format('INSERT INTO row_counts (id, organization_id, table_name, row_count)
    SELECT gen_random_uuid(), organization_id, %L, count(*) FROM %s GROUP BY organization_id', counted, counted);
END
$$;
--> statement-breakpoint
SELECT keep_count_of(name::regclass) FROM unnest(ARRAY[
  'deployments', 'pipeline_runs', 'pipeline_step_executions', 'iac_resources', 'infrastructure_events',
  'audit_events']) AS name;
