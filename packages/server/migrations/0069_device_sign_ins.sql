CREATE TABLE "device_sign_ins" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"device_code_hash" text NOT NULL,
	"user_code_hash" text NOT NULL,
	"client_name" text NOT NULL,
	"ip_address" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"asked_at" timestamp (3) with time zone,
	"decision" text,
	"membership_id" text,
	CONSTRAINT "device_sign_ins_device_code_hash_unique" UNIQUE("device_code_hash"),
	CONSTRAINT "device_sign_ins_user_code_hash_unique" UNIQUE("user_code_hash")
);
--> statement-breakpoint
ALTER TABLE "device_sign_ins" ADD CONSTRAINT "device_sign_ins_membership_id_memberships_id_fk" FOREIGN KEY ("membership_id") REFERENCES "public"."memberships"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "device_sign_ins_membership" ON "device_sign_ins" USING btree ("membership_id");--> statement-breakpoint
CREATE INDEX "device_sign_ins_expires" ON "device_sign_ins" USING btree ("expires_at");--> statement-breakpoint
-- Who asks is of no organization yet, and seen by none.
ALTER TABLE device_sign_ins ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE TABLE "applied_files" (
	"project_id" text PRIMARY KEY NOT NULL,
	"organization_id" text NOT NULL,
	"applied_at" timestamp (3) with time zone NOT NULL,
	"applied_by" text NOT NULL,
	"records" jsonb NOT NULL
);
--> statement-breakpoint
ALTER TABLE "applied_files" ADD CONSTRAINT "applied_files_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "applied_files" ADD CONSTRAINT "applied_files_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "applied_files_organization" ON "applied_files" USING btree ("organization_id");--> statement-breakpoint
SELECT wall_off('applied_files');--> statement-breakpoint
SELECT show_if('applied_files', '(ARRAY[project_id] && (SELECT hidden_places())) IS NOT TRUE');
