CREATE TABLE "module_instance_applies" (
	"organization_id" text NOT NULL,
	"module_instance_id" text PRIMARY KEY NOT NULL,
	"waits_for" jsonb NOT NULL,
	"is_auto_approved" boolean NOT NULL,
	"trigger_source" text NOT NULL,
	"triggered_by" text NOT NULL
);
--> statement-breakpoint
ALTER TABLE "pipeline_runs" DROP CONSTRAINT "pipeline_runs_module_instance_id_module_instances_id_fk";
--> statement-breakpoint
ALTER TABLE "pipeline_step_executions" DROP CONSTRAINT "pipeline_step_executions_module_instance_id_module_instances_id_fk";
--> statement-breakpoint
ALTER TABLE "module_instance_applies" ADD CONSTRAINT "module_instance_applies_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "module_instance_applies" ADD CONSTRAINT "module_instance_applies_module_instance_id_module_instances_id_fk" FOREIGN KEY ("module_instance_id") REFERENCES "public"."module_instances"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "module_instance_applies_organization" ON "module_instance_applies" USING btree ("organization_id");--> statement-breakpoint
SELECT wall_off('module_instance_applies');
