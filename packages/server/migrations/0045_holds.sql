CREATE TABLE "hold_rules" (
	"environment_id" text PRIMARY KEY NOT NULL,
	"organization_id" text NOT NULL,
	"project_id" text NOT NULL,
	"after_rollback" boolean NOT NULL
);
--> statement-breakpoint
CREATE TABLE "holds" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"project_id" text NOT NULL,
	"environment_id" text NOT NULL,
	"module_instance_id" text,
	"reason" text NOT NULL,
	"origin" text NOT NULL,
	"deployment_id" text,
	"held_by" text NOT NULL,
	"released_at" timestamp (3) with time zone,
	"released_by" text,
	"release_reason" text
);
--> statement-breakpoint
ALTER TABLE "hold_rules" ADD CONSTRAINT "hold_rules_environment_id_environments_id_fk" FOREIGN KEY ("environment_id") REFERENCES "public"."environments"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "hold_rules" ADD CONSTRAINT "hold_rules_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "holds" ADD CONSTRAINT "holds_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "holds" ADD CONSTRAINT "holds_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "holds" ADD CONSTRAINT "holds_environment_id_environments_id_fk" FOREIGN KEY ("environment_id") REFERENCES "public"."environments"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "holds" ADD CONSTRAINT "holds_module_instance_id_module_instances_id_fk" FOREIGN KEY ("module_instance_id") REFERENCES "public"."module_instances"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "holds_organization" ON "holds" USING btree ("organization_id","id");--> statement-breakpoint
CREATE INDEX "holds_instance" ON "holds" USING btree ("module_instance_id");--> statement-breakpoint
CREATE INDEX "holds_open" ON "holds" USING btree ("organization_id","environment_id") WHERE released_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "holds_after_rollback" ON "holds" USING btree ("module_instance_id") WHERE origin = 'ROLLBACK' and released_at is null;--> statement-breakpoint
SELECT wall_off('holds');
--> statement-breakpoint
SELECT wall_off('hold_rules');
--> statement-breakpoint
SELECT show_if('holds', '(ARRAY[project_id, environment_id] && (SELECT hidden_places())) IS NOT TRUE');
--> statement-breakpoint
SELECT show_if('hold_rules', '(ARRAY[project_id, environment_id] && (SELECT hidden_places())) IS NOT TRUE');
--> statement-breakpoint
SELECT note_changes_of('holds', 'project_id', 'environment_id', 'module_instance_id');
