CREATE TABLE "environment_networks" (
	"environment_id" text PRIMARY KEY NOT NULL,
	"organization_id" text NOT NULL,
	"project_id" text NOT NULL,
	"cloud_account_id" text NOT NULL,
	"region" text NOT NULL,
	"network" text NOT NULL,
	"subnets" jsonb NOT NULL,
	"security_groups" jsonb NOT NULL
);
--> statement-breakpoint
ALTER TABLE "environment_networks" ADD CONSTRAINT "environment_networks_environment_id_environments_id_fk" FOREIGN KEY ("environment_id") REFERENCES "public"."environments"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "environment_networks" ADD CONSTRAINT "environment_networks_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "environment_networks" ADD CONSTRAINT "environment_networks_cloud_account_id_cloud_accounts_id_fk" FOREIGN KEY ("cloud_account_id") REFERENCES "public"."cloud_accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
SELECT wall_off('environment_networks');
--> statement-breakpoint
SELECT show_if('environment_networks', '(ARRAY[project_id, environment_id] && (SELECT hidden_places())) IS NOT TRUE');
