CREATE TABLE "freeze_overrides" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"freeze_id" text NOT NULL,
	"project_id" text,
	"environment_id" text,
	"module_instance_id" text,
	"reason" text NOT NULL,
	"until" timestamp (3) with time zone NOT NULL,
	"created_by" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "freezes" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"project_id" text,
	"environment_id" text,
	"module_instance_id" text,
	"name" text NOT NULL,
	"reason" text,
	"window" jsonb NOT NULL,
	"stops" jsonb NOT NULL,
	"mode" text NOT NULL,
	"on_release" text NOT NULL,
	"afterwards" text NOT NULL,
	"created_by" text NOT NULL
);
--> statement-breakpoint
ALTER TABLE "freeze_overrides" ADD CONSTRAINT "freeze_overrides_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "freeze_overrides" ADD CONSTRAINT "freeze_overrides_freeze_id_freezes_id_fk" FOREIGN KEY ("freeze_id") REFERENCES "public"."freezes"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "freeze_overrides" ADD CONSTRAINT "freeze_overrides_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "freeze_overrides" ADD CONSTRAINT "freeze_overrides_environment_id_environments_id_fk" FOREIGN KEY ("environment_id") REFERENCES "public"."environments"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "freeze_overrides" ADD CONSTRAINT "freeze_overrides_module_instance_id_module_instances_id_fk" FOREIGN KEY ("module_instance_id") REFERENCES "public"."module_instances"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "freezes" ADD CONSTRAINT "freezes_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "freezes" ADD CONSTRAINT "freezes_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "freezes" ADD CONSTRAINT "freezes_environment_id_environments_id_fk" FOREIGN KEY ("environment_id") REFERENCES "public"."environments"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "freezes" ADD CONSTRAINT "freezes_module_instance_id_module_instances_id_fk" FOREIGN KEY ("module_instance_id") REFERENCES "public"."module_instances"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "freeze_overrides_freeze" ON "freeze_overrides" USING btree ("freeze_id","id");--> statement-breakpoint
CREATE INDEX "freeze_overrides_organization" ON "freeze_overrides" USING btree ("organization_id","until");--> statement-breakpoint
CREATE INDEX "freezes_organization" ON "freezes" USING btree ("organization_id","id");--> statement-breakpoint
SELECT wall_off('freezes');
--> statement-breakpoint
SELECT wall_off('freeze_overrides');
--> statement-breakpoint
SELECT show_if('freezes', '(ARRAY[project_id, environment_id] && (SELECT hidden_places())) IS NOT TRUE');
--> statement-breakpoint
SELECT show_if('freeze_overrides', '(ARRAY[project_id, environment_id] && (SELECT hidden_places())) IS NOT TRUE');
--> statement-breakpoint
SELECT note_changes_of('freezes', 'project_id', 'environment_id', 'module_instance_id');
