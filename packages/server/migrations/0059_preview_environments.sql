CREATE TABLE "preview_templates" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"project_id" text NOT NULL,
	"environment_id" text NOT NULL,
	"code_source_id" text NOT NULL,
	"branches" jsonb,
	"paths" jsonb,
	"instances" jsonb,
	"inputs" jsonb NOT NULL,
	"pipeline_id" text,
	"pipeline_inputs" jsonb NOT NULL,
	"name_pattern" text NOT NULL,
	"lifetime_hours" integer NOT NULL,
	"most_in_project" integer NOT NULL,
	"allows_forks" boolean NOT NULL,
	"written_by" text NOT NULL,
	"written_by_id" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "preview_environments" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"project_id" text NOT NULL,
	"preview_template_id" text NOT NULL,
	"code_source_id" text NOT NULL,
	"given_id" text NOT NULL,
	"environment_id" text,
	"number" integer NOT NULL,
	"branch" text NOT NULL,
	"commit" text NOT NULL,
	"asked_by" text NOT NULL,
	"is_from_fork" boolean NOT NULL,
	"status" text NOT NULL,
	"message" text,
	"ended_because" text,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"begun_commit" text,
	"pipeline_run_id" text,
	"asked_to_go" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"failed_teardowns" integer DEFAULT 0 NOT NULL,
	"teardown_failed_at" timestamp (3) with time zone,
	"retry_at" timestamp (3) with time zone,
	"up_since" timestamp (3) with time zone,
	"earlier_up_ms" bigint DEFAULT 0 NOT NULL,
	"told" text,
	"tell_failures" integer DEFAULT 0 NOT NULL,
	"tell_at" timestamp (3) with time zone,
	"wake_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "cloud_accounts" ADD COLUMN "is_production" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "environments" ADD COLUMN "preview_environment_id" text;--> statement-breakpoint
ALTER TABLE "preview_templates" ADD CONSTRAINT "preview_templates_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "preview_templates" ADD CONSTRAINT "preview_templates_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "preview_templates" ADD CONSTRAINT "preview_templates_environment_id_environments_id_fk" FOREIGN KEY ("environment_id") REFERENCES "public"."environments"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "preview_templates" ADD CONSTRAINT "preview_templates_pipeline_id_pipelines_id_fk" FOREIGN KEY ("pipeline_id") REFERENCES "public"."pipelines"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "preview_environments" ADD CONSTRAINT "preview_environments_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "preview_environments" ADD CONSTRAINT "preview_environments_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "preview_environments" ADD CONSTRAINT "preview_environments_preview_template_id_preview_templates_id_fk" FOREIGN KEY ("preview_template_id") REFERENCES "public"."preview_templates"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "preview_environments" ADD CONSTRAINT "preview_environments_environment_id_environments_id_fk" FOREIGN KEY ("environment_id") REFERENCES "public"."environments"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "preview_templates_organization" ON "preview_templates" USING btree ("organization_id","id");--> statement-breakpoint
CREATE INDEX "preview_templates_code_source" ON "preview_templates" USING btree ("code_source_id");--> statement-breakpoint
CREATE INDEX "preview_templates_environment" ON "preview_templates" USING btree ("environment_id");--> statement-breakpoint
CREATE INDEX "preview_templates_pipeline" ON "preview_templates" USING btree ("pipeline_id");--> statement-breakpoint
CREATE UNIQUE INDEX "preview_environments_once" ON "preview_environments" USING btree ("preview_template_id","number");--> statement-breakpoint
CREATE INDEX "preview_environments_organization" ON "preview_environments" USING btree ("organization_id","id");--> statement-breakpoint
CREATE INDEX "preview_environments_project" ON "preview_environments" USING btree ("project_id","status");--> statement-breakpoint
CREATE INDEX "preview_environments_environment" ON "preview_environments" USING btree ("environment_id");--> statement-breakpoint
CREATE INDEX "preview_environments_wake" ON "preview_environments" USING btree ("wake_at") WHERE wake_at is not null;--> statement-breakpoint
SELECT wall_off('preview_templates');
--> statement-breakpoint
SELECT wall_off('preview_environments');
--> statement-breakpoint
SELECT show_if('preview_templates', '(ARRAY[project_id, environment_id] && (SELECT hidden_places())) IS NOT TRUE');
--> statement-breakpoint
SELECT show_if('preview_environments', '(ARRAY[project_id, environment_id] && (SELECT hidden_places())) IS NOT TRUE');
--> statement-breakpoint
SELECT note_changes_of('preview_templates', 'project_id', 'environment_id');
--> statement-breakpoint
SELECT note_changes_of('preview_environments', 'project_id', 'environment_id', 'preview_template_id');
--> statement-breakpoint
-- That one was looked at is no change of it.
DROP TRIGGER change_noted ON preview_environments;
--> statement-breakpoint
CREATE TRIGGER change_noted AFTER INSERT OR DELETE OR UPDATE OF environment_id, commit, status, message, ended_because, expires_at, pipeline_run_id, failed_teardowns ON preview_environments
  FOR EACH ROW EXECUTE FUNCTION note_change_of_preview_environments();
