ALTER TABLE "environments" ADD COLUMN "visibility" text DEFAULT 'ORGANIZATION' NOT NULL;--> statement-breakpoint
ALTER TABLE "projects" ADD COLUMN "visibility" text DEFAULT 'ORGANIZATION' NOT NULL;
--> statement-breakpoint
ALTER TABLE projects ADD CONSTRAINT projects_visibility CHECK (visibility IN ('ORGANIZATION', 'MEMBERS'));
--> statement-breakpoint
ALTER TABLE environments ADD CONSTRAINT environments_visibility CHECK (visibility IN ('ORGANIZATION', 'MEMBERS'));
--> statement-breakpoint
-- Ids of the projects and environments that are hidden from whoever asks. Empty for the work of the service itself.
CREATE FUNCTION hidden_places() RETURNS text[] LANGUAGE sql STABLE AS $$
  SELECT coalesce(nullif(current_setting('sluice.hidden_places', true), ''), '{}')::text[]
$$;
--> statement-breakpoint
-- What is in hidden places, for the policies below. They ask as the owner: a policy that asked a table under a policy
-- would find there nothing that is hidden.
CREATE FUNCTION hidden_pipelines() RETURNS SETOF text LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public AS $$
  SELECT id FROM pipelines WHERE organization_id = current_organization() AND project_id = ANY (hidden_places())
$$;
--> statement-breakpoint
CREATE FUNCTION hidden_instances() RETURNS SETOF text LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public AS $$
  SELECT id FROM module_instances WHERE organization_id = current_organization()
    AND (project_id = ANY (hidden_places()) OR environment_id = ANY (hidden_places()))
$$;
--> statement-breakpoint
-- A stack is where its project is, and where the instance is whose infrastructure it is.
CREATE FUNCTION hidden_stacks() RETURNS SETOF text LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public AS $$
  SELECT id FROM stacks WHERE organization_id = current_organization() AND project_id = ANY (hidden_places())
  UNION
  SELECT stack_id FROM module_instances WHERE organization_id = current_organization() AND stack_id IS NOT NULL
    AND environment_id = ANY (hidden_places())
$$;
--> statement-breakpoint
CREATE FUNCTION hidden_workspaces() RETURNS SETOF text LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public AS $$
  SELECT id FROM stack_workspaces WHERE organization_id = current_organization() AND stack_id IN (SELECT hidden_stacks())
$$;
--> statement-breakpoint
CREATE FUNCTION shown_arns() RETURNS SETOF text LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public AS $$
  SELECT resource_arn FROM module_instances WHERE organization_id = current_organization() AND resource_arn IS NOT NULL
    AND NOT (ARRAY[project_id, environment_id] && hidden_places())
$$;
--> statement-breakpoint
-- Runs are without number, so each is looked at by itself: where its pipeline is, and the instance that it is about.
-- The names are whole, since setting a search path takes longer than the rest.
CREATE FUNCTION is_run_shown(of_run text, hidden text[]) RETURNS boolean LANGUAGE plpgsql STABLE SECURITY DEFINER COST 10 AS $$
DECLARE
  places text[];
BEGIN
  SELECT ARRAY[p.project_id, i.project_id, i.environment_id] INTO places
  FROM public.pipeline_runs r JOIN public.pipelines p ON p.id = r.pipeline_id
  LEFT JOIN public.module_instances i ON i.id = r.module_instance_id
  WHERE r.id = of_run;
  RETURN NOT places && hidden;
END
$$;
--> statement-breakpoint
CREATE FUNCTION is_step_shown(of_step text, hidden text[]) RETURNS boolean LANGUAGE plpgsql STABLE SECURITY DEFINER COST 10 AS $$
BEGIN
  RETURN (SELECT public.is_run_shown(s.pipeline_run_id, hidden) FROM public.pipeline_step_executions s WHERE s.id = of_step);
END
$$;
--> statement-breakpoint
-- Shows of a table only what meets the condition, where something is hidden. The places are asked for once in a
-- query, and where there are none the condition is not looked at. CASE and functions, since the planner believes of
-- other conditions that they leave hardly a row, or that they cost much: it would read whole tables instead of the
-- beginning of an index, and compile queries that take 1 ms for 400.
CREATE FUNCTION show_if(shown regclass, condition text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE POLICY not_hidden ON %s AS RESTRICTIVE FOR SELECT TO sluice_tenant
    USING (CASE WHEN (SELECT hidden_places()) = ''{}'' THEN true ELSE %s END)', shown, condition);
END
$$;
--> statement-breakpoint
SELECT show_if(shown::regclass, format('(%s = ANY ((SELECT hidden_places())::text[])) IS NOT TRUE', place)) FROM (VALUES
  ('projects', 'id'), ('pipelines', 'project_id'), ('default_values', 'parent_id')) AS tables (shown, place);
--> statement-breakpoint
SELECT show_if(shown::regclass, format('(%1$s && (SELECT hidden_places())) IS NOT TRUE', places)) FROM (VALUES
  ('environments', 'ARRAY[id, project_id]'),
  ('module_instances', 'ARRAY[project_id, environment_id]'), ('deployments', 'ARRAY[project_id, environment_id]'),
  ('role_grants', 'ARRAY[project_id, environment_id]'), ('execution_assignments', 'ARRAY[project_id, environment_id]'))
  AS tables (shown, places);
--> statement-breakpoint
SELECT show_if('pipeline_versions', 'pipeline_id NOT IN (SELECT hidden_pipelines())');
--> statement-breakpoint
SELECT show_if('pipeline_schedules', 'pipeline_id NOT IN (SELECT hidden_pipelines())');
--> statement-breakpoint
SELECT show_if('git_feedback', 'pipeline_id NOT IN (SELECT hidden_pipelines())');
--> statement-breakpoint
SELECT show_if('pipeline_runs', 'pipeline_id NOT IN (SELECT hidden_pipelines())
  AND (module_instance_id IN (SELECT hidden_instances())) IS NOT TRUE');
--> statement-breakpoint
SELECT show_if('pipeline_step_executions', 'is_run_shown(pipeline_run_id, (SELECT hidden_places()))');
--> statement-breakpoint
SELECT show_if('step_log_chunks', 'is_step_shown(step_execution_id, (SELECT hidden_places()))');
--> statement-breakpoint
SELECT show_if('runner_tasks', 'is_step_shown(step_execution_id, (SELECT hidden_places()))');
--> statement-breakpoint
SELECT show_if('stacks', 'id NOT IN (SELECT hidden_stacks())');
--> statement-breakpoint
SELECT show_if('stack_workspaces', 'stack_id NOT IN (SELECT hidden_stacks())');
--> statement-breakpoint
SELECT show_if('iac_state_versions', 'workspace_id NOT IN (SELECT hidden_workspaces())');
--> statement-breakpoint
SELECT show_if('iac_plans', 'stack_id NOT IN (SELECT hidden_stacks()) AND is_run_shown(pipeline_run_id, (SELECT hidden_places()))');
--> statement-breakpoint
SELECT show_if('iac_resources', 'stack_id NOT IN (SELECT hidden_stacks()) AND pipeline_id NOT IN (SELECT hidden_pipelines())
  AND is_run_shown(pipeline_run_id, (SELECT hidden_places()))');
--> statement-breakpoint
-- What the cloud tells is of no project by itself: whoever does not see all sees what is told of the resources of
-- instances that they see.
SELECT show_if('infrastructure_events', 'resource_arn IN (SELECT shown_arns())');
