CREATE TABLE "deployment_resources" (
	"deployment_id" text PRIMARY KEY NOT NULL,
	"organization_id" text NOT NULL,
	"project_id" text NOT NULL,
	"environment_id" text NOT NULL,
	"observed_at" timestamp (3) with time zone NOT NULL,
	"resources" jsonb NOT NULL,
	"is_whole" boolean NOT NULL,
	"error" jsonb
);
--> statement-breakpoint
ALTER TABLE "deployment_resources" ADD CONSTRAINT "deployment_resources_deployment_id_deployments_id_fk" FOREIGN KEY ("deployment_id") REFERENCES "public"."deployments"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deployment_resources" ADD CONSTRAINT "deployment_resources_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
SELECT wall_off('deployment_resources');
--> statement-breakpoint
SELECT show_if('deployment_resources', '(ARRAY[project_id, environment_id] && (SELECT hidden_places())) IS NOT TRUE');
