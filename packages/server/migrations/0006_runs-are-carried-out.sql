CREATE TABLE "iac_plans" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"stack_id" text NOT NULL,
	"workspace_id" text,
	"pipeline_run_id" text NOT NULL,
	"step_execution_id" text NOT NULL,
	"kind" text NOT NULL,
	"status" text NOT NULL,
	"has_changes" boolean NOT NULL,
	"summary" jsonb NOT NULL,
	"tool" text NOT NULL,
	"tool_version" text NOT NULL,
	"source" jsonb NOT NULL,
	"lineage" text,
	"serial" bigint,
	"config_digest" text NOT NULL,
	"inputs_digest" text NOT NULL,
	"sealed" text,
	"applied_by_step_execution_id" text,
	"applied_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "iac_state_versions" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"workspace_id" text NOT NULL,
	"sequence" integer NOT NULL,
	"serial" bigint NOT NULL,
	"lineage" text NOT NULL,
	"sealed" text NOT NULL,
	"digest" text NOT NULL,
	"size_bytes" integer NOT NULL,
	"resource_count" integer NOT NULL,
	"step_execution_id" text,
	"created_by" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "module_instance_references" (
	"organization_id" text NOT NULL,
	"module_instance_id" text NOT NULL,
	"input_path" text NOT NULL,
	"referred_id" text NOT NULL,
	CONSTRAINT "module_instance_references_module_instance_id_input_path_pk" PRIMARY KEY("module_instance_id","input_path")
);
--> statement-breakpoint
CREATE TABLE "pipeline_schedules" (
	"organization_id" text NOT NULL,
	"pipeline_id" text NOT NULL,
	"position" integer NOT NULL,
	"cron" text NOT NULL,
	"time_zone" text NOT NULL,
	"next_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "pipeline_schedules_pipeline_id_position_pk" PRIMARY KEY("pipeline_id","position")
);
--> statement-breakpoint
CREATE TABLE "step_log_chunks" (
	"organization_id" text NOT NULL,
	"step_execution_id" text NOT NULL,
	"sequence" integer NOT NULL,
	"attempt_epoch" integer NOT NULL,
	"written_at" timestamp (3) with time zone NOT NULL,
	"text" text NOT NULL,
	CONSTRAINT "step_log_chunks_step_execution_id_sequence_pk" PRIMARY KEY("step_execution_id","sequence")
);
--> statement-breakpoint
ALTER TABLE "module_instances" ADD COLUMN "applied_version_id" text;--> statement-breakpoint
ALTER TABLE "module_instances" ADD COLUMN "applied_input" jsonb;--> statement-breakpoint
ALTER TABLE "module_instances" ADD COLUMN "applied_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "module_instances" ADD COLUMN "latest_run_id" text;--> statement-breakpoint
ALTER TABLE "pipeline_runs" ADD COLUMN "trigger" jsonb;--> statement-breakpoint
ALTER TABLE "pipeline_runs" ADD COLUMN "concurrency_group" text;--> statement-breakpoint
ALTER TABLE "pipeline_runs" ADD COLUMN "parent_step_execution_id" text;--> statement-breakpoint
ALTER TABLE "pipeline_runs" ADD COLUMN "module_instance_id" text;--> statement-breakpoint
ALTER TABLE "pipeline_runs" ADD COLUMN "is_auto_approved" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "pipeline_runs" ADD COLUMN "cancel_request" jsonb;--> statement-breakpoint
ALTER TABLE "pipeline_runs" ADD COLUMN "revision" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "pipeline_runs" ADD COLUMN "wake_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "pipeline_runs" ADD COLUMN "wake_seq" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "pipeline_runs" ADD COLUMN "deadline_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "pipeline_runs" ADD COLUMN "waiting_for" text;--> statement-breakpoint
ALTER TABLE "pipeline_step_executions" ADD COLUMN "position" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "pipeline_step_executions" ADD COLUMN "approval" jsonb;--> statement-breakpoint
ALTER TABLE "pipeline_step_executions" ADD COLUMN "progress" jsonb DEFAULT '{}'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "pipeline_step_executions" ADD COLUMN "stack_id" text;--> statement-breakpoint
ALTER TABLE "pipeline_step_executions" ADD COLUMN "runner_id" text;--> statement-breakpoint
ALTER TABLE "pipeline_step_executions" ADD COLUMN "lease_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "pipeline_step_executions" ADD COLUMN "cancel_requested_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "pipeline_step_executions" ADD COLUMN "revision" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "pipeline_step_executions" ADD COLUMN "wake_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "pipeline_step_executions" ADD COLUMN "wake_seq" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "pipeline_step_executions" ADD COLUMN "deadline_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "pipeline_step_executions" ADD COLUMN "waiting_for" text;--> statement-breakpoint
ALTER TABLE "stack_workspaces" ADD COLUMN "latest_state_sequence" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "stack_workspaces" ADD COLUMN "lock" jsonb;--> statement-breakpoint
ALTER TABLE "stacks" ADD COLUMN "sealed_outputs" text;--> statement-breakpoint
ALTER TABLE "stacks" ADD COLUMN "last_applied_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "stacks" ADD COLUMN "last_applied_run_id" text;--> statement-breakpoint
ALTER TABLE "iac_plans" ADD CONSTRAINT "iac_plans_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "iac_plans" ADD CONSTRAINT "iac_plans_stack_id_stacks_id_fk" FOREIGN KEY ("stack_id") REFERENCES "public"."stacks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "iac_plans" ADD CONSTRAINT "iac_plans_workspace_id_stack_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."stack_workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "iac_plans" ADD CONSTRAINT "iac_plans_pipeline_run_id_pipeline_runs_id_fk" FOREIGN KEY ("pipeline_run_id") REFERENCES "public"."pipeline_runs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "iac_plans" ADD CONSTRAINT "iac_plans_step_execution_id_pipeline_step_executions_id_fk" FOREIGN KEY ("step_execution_id") REFERENCES "public"."pipeline_step_executions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "iac_state_versions" ADD CONSTRAINT "iac_state_versions_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "iac_state_versions" ADD CONSTRAINT "iac_state_versions_workspace_id_stack_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."stack_workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "module_instance_references" ADD CONSTRAINT "module_instance_references_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "module_instance_references" ADD CONSTRAINT "module_instance_references_module_instance_id_module_instances_id_fk" FOREIGN KEY ("module_instance_id") REFERENCES "public"."module_instances"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "module_instance_references" ADD CONSTRAINT "module_instance_references_referred_id_module_instances_id_fk" FOREIGN KEY ("referred_id") REFERENCES "public"."module_instances"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pipeline_schedules" ADD CONSTRAINT "pipeline_schedules_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pipeline_schedules" ADD CONSTRAINT "pipeline_schedules_pipeline_id_pipelines_id_fk" FOREIGN KEY ("pipeline_id") REFERENCES "public"."pipelines"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "step_log_chunks" ADD CONSTRAINT "step_log_chunks_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "step_log_chunks" ADD CONSTRAINT "step_log_chunks_step_execution_id_pipeline_step_executions_id_fk" FOREIGN KEY ("step_execution_id") REFERENCES "public"."pipeline_step_executions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "iac_plans_step" ON "iac_plans" USING btree ("step_execution_id");--> statement-breakpoint
CREATE UNIQUE INDEX "iac_plans_applied_by" ON "iac_plans" USING btree ("applied_by_step_execution_id");--> statement-breakpoint
CREATE INDEX "iac_plans_run" ON "iac_plans" USING btree ("pipeline_run_id");--> statement-breakpoint
CREATE INDEX "iac_plans_organization" ON "iac_plans" USING btree ("organization_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "iac_state_versions_sequence" ON "iac_state_versions" USING btree ("workspace_id","sequence");--> statement-breakpoint
CREATE INDEX "iac_state_versions_organization" ON "iac_state_versions" USING btree ("organization_id","id");--> statement-breakpoint
CREATE INDEX "module_instance_references_referred" ON "module_instance_references" USING btree ("referred_id");--> statement-breakpoint
CREATE INDEX "pipeline_schedules_next" ON "pipeline_schedules" USING btree ("next_at");--> statement-breakpoint
ALTER TABLE "pipeline_runs" ADD CONSTRAINT "pipeline_runs_module_instance_id_module_instances_id_fk" FOREIGN KEY ("module_instance_id") REFERENCES "public"."module_instances"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pipeline_step_executions" ADD CONSTRAINT "pipeline_step_executions_stack_id_stacks_id_fk" FOREIGN KEY ("stack_id") REFERENCES "public"."stacks"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "pipeline_runs_module_instance" ON "pipeline_runs" USING btree ("module_instance_id","id");--> statement-breakpoint
CREATE INDEX "pipeline_runs_wake" ON "pipeline_runs" USING btree ("wake_at") WHERE wake_at is not null;--> statement-breakpoint
CREATE INDEX "pipeline_runs_group" ON "pipeline_runs" USING btree ("organization_id","concurrency_group","id") WHERE concurrency_group is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "pipeline_runs_one_in_group" ON "pipeline_runs" USING btree ("organization_id","concurrency_group") WHERE concurrency_group is not null and status in ('IN_PROGRESS', 'PENDING_APPROVAL');--> statement-breakpoint
CREATE UNIQUE INDEX "pipeline_step_executions_once" ON "pipeline_step_executions" USING btree ("pipeline_run_id","step_id");--> statement-breakpoint
CREATE INDEX "pipeline_step_executions_wake" ON "pipeline_step_executions" USING btree ("wake_at") WHERE wake_at is not null;--> statement-breakpoint
CREATE INDEX "pipeline_step_executions_ready" ON "pipeline_step_executions" USING btree ("id") WHERE status = 'QUEUED' and queue_reason in ('RUNNER_CAPACITY', 'STACK_LOCKED');--> statement-breakpoint
CREATE UNIQUE INDEX "pipeline_step_executions_one_on_stack" ON "pipeline_step_executions" USING btree ("stack_id") WHERE stack_id is not null and status = 'IN_PROGRESS';--> statement-breakpoint
CREATE INDEX "stacks_organization" ON "stacks" USING btree ("organization_id","id");--> statement-breakpoint
SELECT wall_off(name::regclass) FROM unnest(ARRAY[
  'iac_plans', 'iac_state_versions', 'module_instance_references', 'pipeline_schedules', 'step_log_chunks']) AS name;
--> statement-breakpoint
-- What is over never changes again, whatever a late message, an old process or a person with psql tries.
CREATE FUNCTION refuse_change_of_final_row() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% % is % and can no longer change', TG_ARGV[0], OLD.id, OLD.status USING ERRCODE = 'check_violation';
END
$$;
--> statement-breakpoint
CREATE TRIGGER pipeline_runs_final BEFORE UPDATE ON pipeline_runs FOR EACH ROW
  WHEN (OLD.status IN ('SUCCESS', 'ERROR', 'CANCELLED'))
  EXECUTE FUNCTION refuse_change_of_final_row('pipeline run');
--> statement-breakpoint
CREATE TRIGGER pipeline_step_executions_final BEFORE UPDATE ON pipeline_step_executions FOR EACH ROW
  WHEN (OLD.status IN ('SUCCESS', 'ERROR', 'CANCELLED', 'SKIPPED'))
  EXECUTE FUNCTION refuse_change_of_final_row('step execution');
--> statement-breakpoint
-- Runs of earlier releases were stored and never carried out: they are now.
UPDATE pipeline_runs SET wake_at = now(), deadline_at = now() + interval '30 days', waiting_for = 'its turn'
  WHERE status IN ('QUEUED', 'IN_PROGRESS', 'PENDING_APPROVAL');
