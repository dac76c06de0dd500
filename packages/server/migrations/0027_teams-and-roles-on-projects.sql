CREATE TABLE "team_members" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"team_id" text NOT NULL,
	"membership_id" text,
	"service_account_id" text,
	CONSTRAINT "team_members_one" CHECK (num_nonnulls(membership_id, service_account_id) = 1)
);
--> statement-breakpoint
CREATE TABLE "teams" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"name" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "role_grants" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"membership_id" text,
	"service_account_id" text,
	"team_id" text,
	"project_id" text NOT NULL,
	"environment_id" text,
	"role" text NOT NULL,
	CONSTRAINT "role_grants_one_principal" CHECK (num_nonnulls(membership_id, service_account_id, team_id) = 1)
);
--> statement-breakpoint
ALTER TABLE "pipeline_runs" ADD COLUMN "acts_for" text;--> statement-breakpoint
ALTER TABLE "environments" ADD COLUMN "restricted" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "projects" ADD COLUMN "restricted" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "team_members" ADD CONSTRAINT "team_members_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "team_members" ADD CONSTRAINT "team_members_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "team_members" ADD CONSTRAINT "team_members_membership_id_memberships_id_fk" FOREIGN KEY ("membership_id") REFERENCES "public"."memberships"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "team_members" ADD CONSTRAINT "team_members_service_account_id_service_accounts_id_fk" FOREIGN KEY ("service_account_id") REFERENCES "public"."service_accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "teams" ADD CONSTRAINT "teams_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "role_grants" ADD CONSTRAINT "role_grants_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "role_grants" ADD CONSTRAINT "role_grants_membership_id_memberships_id_fk" FOREIGN KEY ("membership_id") REFERENCES "public"."memberships"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "role_grants" ADD CONSTRAINT "role_grants_service_account_id_service_accounts_id_fk" FOREIGN KEY ("service_account_id") REFERENCES "public"."service_accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "role_grants" ADD CONSTRAINT "role_grants_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "role_grants" ADD CONSTRAINT "role_grants_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "role_grants" ADD CONSTRAINT "role_grants_environment_id_environments_id_fk" FOREIGN KEY ("environment_id") REFERENCES "public"."environments"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "team_members_organization" ON "team_members" USING btree ("organization_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "team_members_membership" ON "team_members" USING btree ("membership_id","team_id");--> statement-breakpoint
CREATE UNIQUE INDEX "team_members_service_account" ON "team_members" USING btree ("service_account_id","team_id");--> statement-breakpoint
CREATE INDEX "team_members_team" ON "team_members" USING btree ("team_id");--> statement-breakpoint
CREATE UNIQUE INDEX "teams_organization_name" ON "teams" USING btree ("organization_id","name");--> statement-breakpoint
CREATE INDEX "role_grants_organization" ON "role_grants" USING btree ("organization_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "role_grants_once" ON "role_grants" USING btree ("project_id",coalesce(environment_id, ''),coalesce(membership_id, service_account_id, team_id),"role");--> statement-breakpoint
CREATE INDEX "role_grants_membership" ON "role_grants" USING btree ("membership_id");--> statement-breakpoint
CREATE INDEX "role_grants_service_account" ON "role_grants" USING btree ("service_account_id");--> statement-breakpoint
CREATE INDEX "role_grants_team" ON "role_grants" USING btree ("team_id");--> statement-breakpoint
CREATE INDEX "role_grants_environment" ON "role_grants" USING btree ("environment_id");--> statement-breakpoint
SELECT wall_off(name::regclass) FROM unnest(ARRAY['teams', 'team_members', 'role_grants']) AS name;
