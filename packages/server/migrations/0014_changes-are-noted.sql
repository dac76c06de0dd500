CREATE TABLE "changes" (
	"organization_id" text NOT NULL,
	"transaction_id" bigint NOT NULL,
	"resource" text NOT NULL,
	"record_id" text NOT NULL,
	"belongs_to" jsonb NOT NULL,
	"changed_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "changes_record_id_transaction_id_pk" PRIMARY KEY("record_id","transaction_id")
);
--> statement-breakpoint
CREATE INDEX "changes_transaction" ON "changes" USING btree ("transaction_id");--> statement-breakpoint
SELECT wall_off('changes');
--> statement-breakpoint
-- Notes every change of a table's rows from now on, with the columns that say what a row is part of. The trigger's function
-- is written for the table: one for all would have to turn the row, large documents included, into JSON to look into it.
CREATE FUNCTION note_changes_of(noted regclass, VARIADIC parts text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  fields text;
BEGIN
  SELECT coalesce(string_agg(format('%L, changed.%I', camel, part), ', '), '') INTO fields
  FROM unnest(parts) AS part, lateral (SELECT replace(initcap(replace(part, '_', ' ')), ' ', '') AS pascal) AS p,
    lateral (SELECT lower(left(pascal, 1)) || substr(pascal, 2) AS camel) AS c;
  EXECUTE format('CREATE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql AS $body$
    DECLARE
      changed %s;
    BEGIN
      IF TG_OP = ''DELETE'' THEN changed := OLD; ELSE changed := NEW; END IF;
      IF changed.organization_id IS NOT NULL THEN
        INSERT INTO changes (organization_id, transaction_id, resource, record_id, belongs_to)
        VALUES (changed.organization_id, pg_current_xact_id()::text::bigint, %L, changed.id,
          jsonb_strip_nulls(jsonb_build_object(%s)))
        ON CONFLICT DO NOTHING;
      END IF;
      RETURN NULL;
    END
    $body$', 'note_change_of_' || noted, noted, replace(noted::text, '_', '-'), fields);
  EXECUTE format('CREATE TRIGGER change_noted AFTER INSERT OR UPDATE OR DELETE ON %s
    FOR EACH ROW EXECUTE FUNCTION %I()', noted, 'note_change_of_' || noted);
END
$$;
--> statement-breakpoint
SELECT note_changes_of('projects', VARIADIC '{}');
--> statement-breakpoint
SELECT note_changes_of('environments', 'project_id');
--> statement-breakpoint
SELECT note_changes_of('cloud_accounts', VARIADIC '{}');
--> statement-breakpoint
SELECT note_changes_of('code_sources', VARIADIC '{}');
--> statement-breakpoint
SELECT note_changes_of('execution_environments', VARIADIC '{}');
--> statement-breakpoint
SELECT note_changes_of('module_definitions', VARIADIC '{}');
--> statement-breakpoint
SELECT note_changes_of('module_versions', 'module_definition_id');
--> statement-breakpoint
SELECT note_changes_of('module_instances', 'project_id', 'environment_id', 'module_definition_id');
--> statement-breakpoint
SELECT note_changes_of('deployments', 'project_id', 'environment_id', 'module_instance_id', 'pipeline_run_id');
--> statement-breakpoint
SELECT note_changes_of('pipelines', 'project_id');
--> statement-breakpoint
SELECT note_changes_of('pipeline_versions', 'pipeline_id');
--> statement-breakpoint
SELECT note_changes_of('pipeline_runs', 'pipeline_id');
--> statement-breakpoint
SELECT note_changes_of('pipeline_step_executions', 'pipeline_run_id');
--> statement-breakpoint
SELECT note_changes_of('stacks', 'project_id');
--> statement-breakpoint
SELECT note_changes_of('iac_plans', 'stack_id', 'pipeline_run_id', 'step_execution_id');
