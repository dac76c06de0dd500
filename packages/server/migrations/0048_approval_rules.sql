CREATE TABLE "approval_rules" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"project_id" text,
	"environment_id" text,
	"module_instance_id" text,
	"name" text NOT NULL,
	"reason" text,
	"required_approvals" integer NOT NULL,
	"team_ids" jsonb NOT NULL,
	"not_starter" boolean NOT NULL,
	"service_accounts" boolean NOT NULL,
	"expires_after_minutes" integer,
	"rollbacks" boolean NOT NULL,
	"mode" text NOT NULL,
	"created_by" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "deployment_approvals" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"project_id" text NOT NULL,
	"environment_id" text NOT NULL,
	"deployment_id" text NOT NULL,
	"verdict" text NOT NULL,
	"actor_type" text NOT NULL,
	"actor_id" text NOT NULL,
	"actor_name" text NOT NULL,
	"comment" text,
	"release_digest" text NOT NULL
);
--> statement-breakpoint
ALTER TABLE "deployments" ADD COLUMN "triggered_by_id" text;--> statement-breakpoint
ALTER TABLE "approval_rules" ADD CONSTRAINT "approval_rules_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "approval_rules" ADD CONSTRAINT "approval_rules_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "approval_rules" ADD CONSTRAINT "approval_rules_environment_id_environments_id_fk" FOREIGN KEY ("environment_id") REFERENCES "public"."environments"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "approval_rules" ADD CONSTRAINT "approval_rules_module_instance_id_module_instances_id_fk" FOREIGN KEY ("module_instance_id") REFERENCES "public"."module_instances"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deployment_approvals" ADD CONSTRAINT "deployment_approvals_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deployment_approvals" ADD CONSTRAINT "deployment_approvals_deployment_id_deployments_id_fk" FOREIGN KEY ("deployment_id") REFERENCES "public"."deployments"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "approval_rules_organization" ON "approval_rules" USING btree ("organization_id","id");--> statement-breakpoint
CREATE INDEX "deployment_approvals_organization" ON "deployment_approvals" USING btree ("organization_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "deployment_approvals_actor" ON "deployment_approvals" USING btree ("deployment_id","actor_id");--> statement-breakpoint
SELECT wall_off('approval_rules');
--> statement-breakpoint
SELECT wall_off('deployment_approvals');
--> statement-breakpoint
SELECT show_if('approval_rules', '(ARRAY[project_id, environment_id] && (SELECT hidden_places())) IS NOT TRUE');
--> statement-breakpoint
SELECT show_if('deployment_approvals', '(ARRAY[project_id, environment_id] && (SELECT hidden_places())) IS NOT TRUE');
--> statement-breakpoint
SELECT note_changes_of('approval_rules', 'project_id', 'environment_id', 'module_instance_id');
