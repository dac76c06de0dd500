CREATE TABLE "promotion_rules" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"project_id" text NOT NULL,
	"from_environment_id" text NOT NULL,
	"environment_id" text NOT NULL,
	"reason" text,
	"soak_minutes" integer NOT NULL,
	"start" text NOT NULL,
	"mode" text NOT NULL,
	"written_by" text NOT NULL,
	"written_by_id" text NOT NULL,
	"look_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "promotions" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"project_id" text NOT NULL,
	"from_environment_id" text NOT NULL,
	"environment_id" text NOT NULL,
	"promotion_rule_id" text NOT NULL,
	"source_deployment_id" text NOT NULL,
	"module_instance_id" text NOT NULL,
	"status" text NOT NULL,
	"healthy_since" timestamp (3) with time zone,
	"obstacle" text,
	"message" text,
	"deployment_id" text
);
--> statement-breakpoint
ALTER TABLE "deployments" ADD COLUMN "promoted_from_deployment_id" text;--> statement-breakpoint
ALTER TABLE "promotion_rules" ADD CONSTRAINT "promotion_rules_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "promotion_rules" ADD CONSTRAINT "promotion_rules_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "promotion_rules" ADD CONSTRAINT "promotion_rules_from_environment_id_environments_id_fk" FOREIGN KEY ("from_environment_id") REFERENCES "public"."environments"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "promotion_rules" ADD CONSTRAINT "promotion_rules_environment_id_environments_id_fk" FOREIGN KEY ("environment_id") REFERENCES "public"."environments"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "promotions" ADD CONSTRAINT "promotions_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "promotions" ADD CONSTRAINT "promotions_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "promotions" ADD CONSTRAINT "promotions_from_environment_id_environments_id_fk" FOREIGN KEY ("from_environment_id") REFERENCES "public"."environments"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "promotions" ADD CONSTRAINT "promotions_environment_id_environments_id_fk" FOREIGN KEY ("environment_id") REFERENCES "public"."environments"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "promotions" ADD CONSTRAINT "promotions_promotion_rule_id_promotion_rules_id_fk" FOREIGN KEY ("promotion_rule_id") REFERENCES "public"."promotion_rules"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "promotions" ADD CONSTRAINT "promotions_module_instance_id_module_instances_id_fk" FOREIGN KEY ("module_instance_id") REFERENCES "public"."module_instances"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "promotion_rules_step" ON "promotion_rules" USING btree ("from_environment_id","environment_id");--> statement-breakpoint
CREATE INDEX "promotion_rules_organization" ON "promotion_rules" USING btree ("organization_id","id");--> statement-breakpoint
CREATE INDEX "promotion_rules_environment" ON "promotion_rules" USING btree ("environment_id");--> statement-breakpoint
CREATE INDEX "promotion_rules_look" ON "promotion_rules" USING btree ("look_at");--> statement-breakpoint
CREATE UNIQUE INDEX "promotions_once" ON "promotions" USING btree ("promotion_rule_id","source_deployment_id","module_instance_id");--> statement-breakpoint
CREATE INDEX "promotions_organization" ON "promotions" USING btree ("organization_id","id");--> statement-breakpoint
CREATE INDEX "promotions_instance" ON "promotions" USING btree ("module_instance_id");--> statement-breakpoint
CREATE INDEX "promotions_source" ON "promotions" USING btree ("source_deployment_id");--> statement-breakpoint
SELECT wall_off('promotion_rules');
--> statement-breakpoint
SELECT wall_off('promotions');
--> statement-breakpoint
SELECT show_if('promotion_rules', '(ARRAY[project_id, from_environment_id, environment_id] && (SELECT hidden_places())) IS NOT TRUE');
--> statement-breakpoint
SELECT show_if('promotions', '(ARRAY[project_id, from_environment_id, environment_id] && (SELECT hidden_places())) IS NOT TRUE');
--> statement-breakpoint
SELECT note_changes_of('promotion_rules', 'project_id', 'environment_id');
--> statement-breakpoint
-- That a rule was looked at is no change of it.
DROP TRIGGER change_noted ON promotion_rules;
--> statement-breakpoint
CREATE TRIGGER change_noted AFTER INSERT OR DELETE OR UPDATE OF reason, soak_minutes, start, mode, written_by ON promotion_rules
  FOR EACH ROW EXECUTE FUNCTION note_change_of_promotion_rules();
