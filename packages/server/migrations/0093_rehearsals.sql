CREATE TABLE "rehearsals" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"project_id" text NOT NULL,
	"environment_id" text NOT NULL,
	"module_instance_id" text NOT NULL,
	"status" text NOT NULL,
	"triggered_by" text NOT NULL,
	"scenario_names" text[] NOT NULL,
	"scenarios" jsonb NOT NULL,
	"assumptions" text[] NOT NULL,
	"error" jsonb,
	"completed_at" timestamp (3) with time zone,
	"release" jsonb,
	"attempts" integer DEFAULT 0 NOT NULL,
	"leased_until" timestamp (3) with time zone,
	"wake_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "rehearsals" ADD CONSTRAINT "rehearsals_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rehearsals" ADD CONSTRAINT "rehearsals_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rehearsals" ADD CONSTRAINT "rehearsals_environment_id_environments_id_fk" FOREIGN KEY ("environment_id") REFERENCES "public"."environments"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rehearsals" ADD CONSTRAINT "rehearsals_module_instance_id_module_instances_id_fk" FOREIGN KEY ("module_instance_id") REFERENCES "public"."module_instances"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "rehearsals_organization" ON "rehearsals" USING btree ("organization_id","id");--> statement-breakpoint
CREATE INDEX "rehearsals_instance" ON "rehearsals" USING btree ("module_instance_id","id");--> statement-breakpoint
CREATE INDEX "rehearsals_environment" ON "rehearsals" USING btree ("environment_id");--> statement-breakpoint
CREATE INDEX "rehearsals_project" ON "rehearsals" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "rehearsals_wake" ON "rehearsals" USING btree ("wake_at") WHERE wake_at is not null;--> statement-breakpoint
SELECT wall_off('rehearsals');--> statement-breakpoint
SELECT show_if('rehearsals', '(ARRAY[project_id, environment_id] && (SELECT hidden_places())) IS NOT TRUE');
