CREATE TABLE "audit_events" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"actor_type" text NOT NULL,
	"actor_id" text NOT NULL,
	"actor_name" text NOT NULL,
	"action" text NOT NULL,
	"resource_type" text NOT NULL,
	"resource_id" text NOT NULL,
	"details" jsonb,
	"ip_address" text,
	"user_agent" text,
	"request_id" text
);
--> statement-breakpoint
CREATE TABLE "code_sources" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"type" text NOT NULL,
	"repo_url" text NOT NULL,
	"repo_name" text NOT NULL,
	"git_repository_id" text,
	"default_branch" text,
	"visibility" text NOT NULL,
	"access_lost" boolean DEFAULT false NOT NULL,
	"auth" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "default_value_definitions" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"key" text NOT NULL,
	"description" text,
	"schema" jsonb NOT NULL,
	"is_sensitive" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "default_values" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"default_value_definition_id" text NOT NULL,
	"parent_type" text NOT NULL,
	"parent_id" text NOT NULL,
	"held" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "execution_environments" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"given_id" text NOT NULL,
	"name" text NOT NULL,
	"description" text,
	"cloud_account_id" text NOT NULL,
	"region" text NOT NULL,
	"network" jsonb
);
--> statement-breakpoint
CREATE TABLE "iac_resources" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"pipeline_id" text NOT NULL,
	"pipeline_run_id" text NOT NULL,
	"step_execution_id" text NOT NULL,
	"stack_id" text NOT NULL,
	"address" text NOT NULL,
	"module_address" text,
	"index_key" text,
	"provider" text NOT NULL,
	"resource_name" text NOT NULL,
	"resource_type" text NOT NULL,
	"change_type" text NOT NULL,
	"run_type" text NOT NULL,
	"drift_status" text NOT NULL,
	"is_in_current_state" boolean NOT NULL,
	"tainted" boolean DEFAULT false NOT NULL,
	"vendor" text NOT NULL,
	"vendor_data" jsonb NOT NULL,
	"error" jsonb
);
--> statement-breakpoint
CREATE TABLE "idempotent_answers" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"actor_id" text NOT NULL,
	"operation_id" text NOT NULL,
	"key" text NOT NULL,
	"request_hash" text NOT NULL,
	"status" integer,
	"body" text
);
--> statement-breakpoint
CREATE TABLE "invitations" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"email" text NOT NULL,
	"role" text NOT NULL,
	"token_hash" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"accepted_at" timestamp (3) with time zone,
	"invited_by_id" text NOT NULL,
	CONSTRAINT "invitations_token_hash_unique" UNIQUE("token_hash")
);
--> statement-breakpoint
CREATE TABLE "pipeline_runs" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"pipeline_id" text NOT NULL,
	"pipeline_version_id" text NOT NULL,
	"description" text,
	"inputs" jsonb NOT NULL,
	"status" text NOT NULL,
	"trigger_source" text NOT NULL,
	"triggered_by" text NOT NULL,
	"started_at" timestamp (3) with time zone,
	"completed_at" timestamp (3) with time zone,
	"error" jsonb
);
--> statement-breakpoint
CREATE TABLE "pipeline_step_executions" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"pipeline_run_id" text NOT NULL,
	"step_id" text NOT NULL,
	"step_name" text NOT NULL,
	"step_type" text NOT NULL,
	"status" text NOT NULL,
	"queue_reason" text NOT NULL,
	"queue_metadata" jsonb NOT NULL,
	"attempt_epoch" integer DEFAULT 0 NOT NULL,
	"retry_attempt" integer DEFAULT 0 NOT NULL,
	"is_last_retry" boolean DEFAULT true NOT NULL,
	"engine_workflow_id" text NOT NULL,
	"engine_run_id" text DEFAULT '' NOT NULL,
	"started_at" timestamp (3) with time zone,
	"completed_at" timestamp (3) with time zone,
	"error" jsonb,
	"input_data" jsonb,
	"output_data" jsonb,
	"status_detail" jsonb,
	"module_instance_id" text,
	"logs" jsonb,
	"decision" jsonb
);
--> statement-breakpoint
CREATE TABLE "pipeline_versions" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"pipeline_id" text NOT NULL,
	"version" integer NOT NULL,
	"config" jsonb NOT NULL,
	"created_by_id" text
);
--> statement-breakpoint
CREATE TABLE "pipelines" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"project_id" text NOT NULL,
	"given_id" text NOT NULL,
	"name" text NOT NULL,
	"description" text,
	"latest_version" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"membership_id" text NOT NULL,
	"identity_id" text NOT NULL,
	"token_hash" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	CONSTRAINT "sessions_token_hash_unique" UNIQUE("token_hash")
);
--> statement-breakpoint
CREATE TABLE "stack_workspaces" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"stack_id" text NOT NULL,
	"name" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "stacks" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"project_id" text NOT NULL,
	"given_id" text NOT NULL,
	"name" text NOT NULL,
	"description" text,
	"outputs" jsonb
);
--> statement-breakpoint
ALTER TABLE "audit_events" ADD CONSTRAINT "audit_events_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "code_sources" ADD CONSTRAINT "code_sources_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "default_value_definitions" ADD CONSTRAINT "default_value_definitions_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "default_values" ADD CONSTRAINT "default_values_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "default_values" ADD CONSTRAINT "default_values_default_value_definition_id_default_value_definitions_id_fk" FOREIGN KEY ("default_value_definition_id") REFERENCES "public"."default_value_definitions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "execution_environments" ADD CONSTRAINT "execution_environments_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "execution_environments" ADD CONSTRAINT "execution_environments_cloud_account_id_cloud_accounts_id_fk" FOREIGN KEY ("cloud_account_id") REFERENCES "public"."cloud_accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "iac_resources" ADD CONSTRAINT "iac_resources_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "iac_resources" ADD CONSTRAINT "iac_resources_pipeline_id_pipelines_id_fk" FOREIGN KEY ("pipeline_id") REFERENCES "public"."pipelines"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "iac_resources" ADD CONSTRAINT "iac_resources_pipeline_run_id_pipeline_runs_id_fk" FOREIGN KEY ("pipeline_run_id") REFERENCES "public"."pipeline_runs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "iac_resources" ADD CONSTRAINT "iac_resources_step_execution_id_pipeline_step_executions_id_fk" FOREIGN KEY ("step_execution_id") REFERENCES "public"."pipeline_step_executions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "iac_resources" ADD CONSTRAINT "iac_resources_stack_id_stacks_id_fk" FOREIGN KEY ("stack_id") REFERENCES "public"."stacks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "idempotent_answers" ADD CONSTRAINT "idempotent_answers_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pipeline_runs" ADD CONSTRAINT "pipeline_runs_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pipeline_runs" ADD CONSTRAINT "pipeline_runs_pipeline_id_pipelines_id_fk" FOREIGN KEY ("pipeline_id") REFERENCES "public"."pipelines"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pipeline_runs" ADD CONSTRAINT "pipeline_runs_pipeline_version_id_pipeline_versions_id_fk" FOREIGN KEY ("pipeline_version_id") REFERENCES "public"."pipeline_versions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pipeline_step_executions" ADD CONSTRAINT "pipeline_step_executions_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pipeline_step_executions" ADD CONSTRAINT "pipeline_step_executions_pipeline_run_id_pipeline_runs_id_fk" FOREIGN KEY ("pipeline_run_id") REFERENCES "public"."pipeline_runs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pipeline_step_executions" ADD CONSTRAINT "pipeline_step_executions_module_instance_id_module_instances_id_fk" FOREIGN KEY ("module_instance_id") REFERENCES "public"."module_instances"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pipeline_versions" ADD CONSTRAINT "pipeline_versions_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pipeline_versions" ADD CONSTRAINT "pipeline_versions_pipeline_id_pipelines_id_fk" FOREIGN KEY ("pipeline_id") REFERENCES "public"."pipelines"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pipelines" ADD CONSTRAINT "pipelines_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pipelines" ADD CONSTRAINT "pipelines_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_membership_id_memberships_id_fk" FOREIGN KEY ("membership_id") REFERENCES "public"."memberships"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_identity_id_identities_id_fk" FOREIGN KEY ("identity_id") REFERENCES "public"."identities"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "stack_workspaces" ADD CONSTRAINT "stack_workspaces_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "stack_workspaces" ADD CONSTRAINT "stack_workspaces_stack_id_stacks_id_fk" FOREIGN KEY ("stack_id") REFERENCES "public"."stacks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "stacks" ADD CONSTRAINT "stacks_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "stacks" ADD CONSTRAINT "stacks_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "audit_events_organization" ON "audit_events" USING btree ("organization_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "code_sources_organization_repo_url" ON "code_sources" USING btree ("organization_id","repo_url");--> statement-breakpoint
CREATE UNIQUE INDEX "default_value_definitions_organization_key" ON "default_value_definitions" USING btree ("organization_id","key");--> statement-breakpoint
CREATE UNIQUE INDEX "default_values_once" ON "default_values" USING btree ("default_value_definition_id","parent_id");--> statement-breakpoint
CREATE INDEX "default_values_organization" ON "default_values" USING btree ("organization_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "execution_environments_organization_given_id" ON "execution_environments" USING btree ("organization_id","given_id");--> statement-breakpoint
CREATE INDEX "iac_resources_organization" ON "iac_resources" USING btree ("organization_id","id");--> statement-breakpoint
CREATE INDEX "iac_resources_address" ON "iac_resources" USING btree ("pipeline_id","address","pipeline_run_id");--> statement-breakpoint
CREATE INDEX "iac_resources_run" ON "iac_resources" USING btree ("pipeline_run_id");--> statement-breakpoint
CREATE INDEX "iac_resources_stack" ON "iac_resources" USING btree ("stack_id");--> statement-breakpoint
CREATE UNIQUE INDEX "idempotent_answers_once" ON "idempotent_answers" USING btree ("organization_id","actor_id","operation_id","key");--> statement-breakpoint
CREATE INDEX "idempotent_answers_created" ON "idempotent_answers" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "invitations_organization_email" ON "invitations" USING btree ("organization_id","email");--> statement-breakpoint
CREATE INDEX "pipeline_runs_pipeline" ON "pipeline_runs" USING btree ("pipeline_id","id");--> statement-breakpoint
CREATE INDEX "pipeline_runs_organization" ON "pipeline_runs" USING btree ("organization_id","id");--> statement-breakpoint
CREATE INDEX "pipeline_step_executions_run" ON "pipeline_step_executions" USING btree ("pipeline_run_id","id");--> statement-breakpoint
CREATE INDEX "pipeline_step_executions_organization" ON "pipeline_step_executions" USING btree ("organization_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "pipeline_versions_number" ON "pipeline_versions" USING btree ("pipeline_id","version");--> statement-breakpoint
CREATE UNIQUE INDEX "pipelines_project_given_id" ON "pipelines" USING btree ("project_id","given_id");--> statement-breakpoint
CREATE INDEX "pipelines_organization" ON "pipelines" USING btree ("organization_id","id");--> statement-breakpoint
CREATE INDEX "sessions_membership" ON "sessions" USING btree ("membership_id");--> statement-breakpoint
CREATE UNIQUE INDEX "stack_workspaces_stack_name" ON "stack_workspaces" USING btree ("stack_id","name");--> statement-breakpoint
CREATE INDEX "stack_workspaces_organization" ON "stack_workspaces" USING btree ("organization_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "stacks_project_given_id" ON "stacks" USING btree ("project_id","given_id");--> statement-breakpoint
SELECT wall_off(name::regclass) FROM unnest(ARRAY[
  'audit_events', 'invitations', 'sessions', 'execution_environments', 'code_sources', 'default_value_definitions',
  'default_values', 'pipelines', 'pipeline_versions', 'pipeline_runs', 'pipeline_step_executions', 'stacks',
  'stack_workspaces', 'iac_resources', 'idempotent_answers']) AS name;
--> statement-breakpoint
-- What was written there stays as it was written.
REVOKE UPDATE, DELETE ON audit_events FROM sluice_tenant;
