CREATE TABLE "execution_assignments" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"parent_id" text NOT NULL,
	"project_id" text,
	"environment_id" text,
	"module_definition_id" text,
	"execution_environment_id" text NOT NULL,
	CONSTRAINT "execution_assignments_one_parent" CHECK (num_nonnulls(project_id, environment_id, module_definition_id) <= 1)
);
--> statement-breakpoint
CREATE TABLE "runners" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"execution_environment_id" text NOT NULL,
	"runner_id" text NOT NULL,
	"runner_token_id" text NOT NULL,
	"machine" text NOT NULL,
	"version" text NOT NULL,
	"isolation" text NOT NULL,
	"labels" jsonb NOT NULL,
	"capacity" integer NOT NULL,
	"last_seen_at" timestamp (3) with time zone NOT NULL,
	"is_draining" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "runner_tokens" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"execution_environment_id" text NOT NULL,
	"name" text NOT NULL,
	"token_hash" text NOT NULL,
	"token_hint" text NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	CONSTRAINT "runner_tokens_token_hash_unique" UNIQUE("token_hash")
);
--> statement-breakpoint
ALTER TABLE "execution_environments" ALTER COLUMN "cloud_account_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "execution_environments" ALTER COLUMN "region" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "execution_environments" ADD COLUMN "kind" text DEFAULT 'cloud' NOT NULL;--> statement-breakpoint
ALTER TABLE "pipeline_step_executions" ADD COLUMN "execution_environment_id" text;--> statement-breakpoint
ALTER TABLE "execution_assignments" ADD CONSTRAINT "execution_assignments_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "execution_assignments" ADD CONSTRAINT "execution_assignments_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "execution_assignments" ADD CONSTRAINT "execution_assignments_environment_id_environments_id_fk" FOREIGN KEY ("environment_id") REFERENCES "public"."environments"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "execution_assignments" ADD CONSTRAINT "execution_assignments_module_definition_id_module_definitions_id_fk" FOREIGN KEY ("module_definition_id") REFERENCES "public"."module_definitions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "execution_assignments" ADD CONSTRAINT "execution_assignments_execution_environment_id_execution_environments_id_fk" FOREIGN KEY ("execution_environment_id") REFERENCES "public"."execution_environments"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "runners" ADD CONSTRAINT "runners_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "runners" ADD CONSTRAINT "runners_execution_environment_id_execution_environments_id_fk" FOREIGN KEY ("execution_environment_id") REFERENCES "public"."execution_environments"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "runner_tokens" ADD CONSTRAINT "runner_tokens_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "runner_tokens" ADD CONSTRAINT "runner_tokens_execution_environment_id_execution_environments_id_fk" FOREIGN KEY ("execution_environment_id") REFERENCES "public"."execution_environments"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "execution_assignments_once" ON "execution_assignments" USING btree ("organization_id","parent_id");--> statement-breakpoint
CREATE INDEX "execution_assignments_execution_environment" ON "execution_assignments" USING btree ("execution_environment_id");--> statement-breakpoint
CREATE UNIQUE INDEX "runners_once" ON "runners" USING btree ("execution_environment_id","runner_id");--> statement-breakpoint
CREATE INDEX "runners_organization" ON "runners" USING btree ("organization_id","id");--> statement-breakpoint
CREATE INDEX "runner_tokens_organization" ON "runner_tokens" USING btree ("organization_id","id");--> statement-breakpoint
ALTER TABLE "execution_environments" ADD CONSTRAINT "execution_environments_pools_have_no_place" CHECK (kind = 'cloud' or (cloud_account_id is null and region is null));--> statement-breakpoint
SELECT wall_off('execution_assignments');--> statement-breakpoint
SELECT wall_off('runner_tokens');--> statement-breakpoint
SELECT wall_off('runners');
