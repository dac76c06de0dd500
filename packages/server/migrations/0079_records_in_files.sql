CREATE TABLE "records_in_files" (
	"project_id" text NOT NULL,
	"organization_id" text NOT NULL,
	"record_id" text NOT NULL,
	"names" text[] NOT NULL,
	"environment_ids" text[] NOT NULL,
	CONSTRAINT "records_in_files_project_id_record_id_pk" PRIMARY KEY("project_id","record_id")
);
--> statement-breakpoint
ALTER TABLE "records_in_files" ADD CONSTRAINT "records_in_files_project_id_applied_files_project_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."applied_files"("project_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "records_in_files" ADD CONSTRAINT "records_in_files_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "records_in_files_organization" ON "records_in_files" USING btree ("organization_id","record_id");--> statement-breakpoint
SELECT wall_off('records_in_files');
--> statement-breakpoint
SELECT show_if('records_in_files', '((environment_ids || project_id) && (SELECT hidden_places())) IS NOT TRUE');
--> statement-breakpoint
-- What the version before has noted. It goes on to read `applied_files.records`, which this one writes and does not read.
INSERT INTO records_in_files (project_id, organization_id, record_id, names, environment_ids)
SELECT files.project_id, files.organization_id, record.key, ARRAY[record.value], coalesce(
  (SELECT ARRAY[environment_id] FROM module_instances WHERE id = record.key),
  (SELECT ARRAY[id] FROM environments WHERE id = record.key),
  '{}')
FROM applied_files files, jsonb_each_text(files.records) record;--> statement-breakpoint
ALTER TABLE "deployments" ADD COLUMN "instance_input" jsonb;--> statement-breakpoint
ALTER TABLE "deployments" ADD COLUMN "module_version_id" text;
