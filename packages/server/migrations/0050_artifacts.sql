CREATE TABLE "artifacts" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"module_instance_id" text NOT NULL,
	"project_id" text NOT NULL,
	"environment_id" text NOT NULL,
	"pipeline_run_id" text NOT NULL,
	"step_execution_id" text NOT NULL,
	"kind" text NOT NULL,
	"cloud_account_id" text NOT NULL,
	"region" text NOT NULL,
	"bucket" text NOT NULL,
	"key" text NOT NULL,
	"commit" text,
	"content_key" text NOT NULL,
	"digest" text NOT NULL,
	"size_bytes" bigint NOT NULL,
	"file_count" integer NOT NULL,
	"build_seconds" integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE "artifacts" ADD CONSTRAINT "artifacts_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "artifacts" ADD CONSTRAINT "artifacts_module_instance_id_module_instances_id_fk" FOREIGN KEY ("module_instance_id") REFERENCES "public"."module_instances"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "artifacts_once" ON "artifacts" USING btree ("organization_id","content_key","digest");--> statement-breakpoint
CREATE INDEX "artifacts_instance" ON "artifacts" USING btree ("module_instance_id","id");--> statement-breakpoint
CREATE INDEX "artifacts_run" ON "artifacts" USING btree ("pipeline_run_id");--> statement-breakpoint
CREATE INDEX "artifacts_organization" ON "artifacts" USING btree ("organization_id","id");--> statement-breakpoint
SELECT wall_off('artifacts');
--> statement-breakpoint
SELECT show_if('artifacts', '(ARRAY[project_id, environment_id] && (SELECT hidden_places())) IS NOT TRUE');
