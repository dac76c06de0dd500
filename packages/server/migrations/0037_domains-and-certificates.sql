CREATE TABLE "certificates" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"cloud_account_id" text NOT NULL,
	"region" text NOT NULL,
	"arn" text,
	"names" text[] NOT NULL,
	"origin" text NOT NULL,
	"status" text NOT NULL,
	"expires_soon" boolean DEFAULT false NOT NULL,
	"issued_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone,
	"in_use_by" text[] DEFAULT '{}' NOT NULL,
	"writes_records" boolean NOT NULL,
	"records" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"error" jsonb,
	"problem" text,
	"looked_at" timestamp (3) with time zone,
	"requested_at" timestamp (3) with time zone,
	"idle_looks" integer DEFAULT 0 NOT NULL,
	"revision" integer DEFAULT 0 NOT NULL,
	"wake_at" timestamp (3) with time zone,
	"wake_seq" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "domains" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"project_id" text NOT NULL,
	"environment_id" text NOT NULL,
	"name" text NOT NULL,
	"description" text
);
--> statement-breakpoint
ALTER TABLE "certificates" ADD CONSTRAINT "certificates_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "certificates" ADD CONSTRAINT "certificates_cloud_account_id_cloud_accounts_id_fk" FOREIGN KEY ("cloud_account_id") REFERENCES "public"."cloud_accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "domains" ADD CONSTRAINT "domains_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "domains" ADD CONSTRAINT "domains_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "domains" ADD CONSTRAINT "domains_environment_id_environments_id_fk" FOREIGN KEY ("environment_id") REFERENCES "public"."environments"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "certificates_arn" ON "certificates" USING btree ("organization_id","arn");--> statement-breakpoint
CREATE INDEX "certificates_names" ON "certificates" USING gin ("names");--> statement-breakpoint
CREATE INDEX "certificates_account" ON "certificates" USING btree ("cloud_account_id");--> statement-breakpoint
CREATE INDEX "certificates_wake" ON "certificates" USING btree ("wake_at") WHERE wake_at is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "domains_organization_name" ON "domains" USING btree ("organization_id","name");--> statement-breakpoint
CREATE INDEX "domains_environment" ON "domains" USING btree ("environment_id");--> statement-breakpoint
CREATE INDEX "domains_project" ON "domains" USING btree ("project_id");--> statement-breakpoint
SELECT wall_off('certificates');
--> statement-breakpoint
SELECT wall_off('domains');
--> statement-breakpoint
SELECT show_if('domains', '(ARRAY[project_id, environment_id] && (SELECT hidden_places())) IS NOT TRUE');
--> statement-breakpoint
SELECT note_changes_of('certificates', 'cloud_account_id');
--> statement-breakpoint
SELECT note_changes_of('domains', 'project_id', 'environment_id');
