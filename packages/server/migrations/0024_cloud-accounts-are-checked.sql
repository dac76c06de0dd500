CREATE TABLE "cloud_connections" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"cloud_account_id" text NOT NULL,
	"check_at" timestamp (3) with time zone NOT NULL,
	"checked_at" timestamp (3) with time zone,
	"refusals" integer DEFAULT 0 NOT NULL,
	"error" jsonb,
	"look_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "cloud_connections" ADD CONSTRAINT "cloud_connections_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "cloud_connections" ADD CONSTRAINT "cloud_connections_cloud_account_id_cloud_accounts_id_fk" FOREIGN KEY ("cloud_account_id") REFERENCES "public"."cloud_accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "cloud_connections_account" ON "cloud_connections" USING btree ("cloud_account_id");--> statement-breakpoint
CREATE INDEX "cloud_connections_organization" ON "cloud_connections" USING btree ("organization_id");--> statement-breakpoint
CREATE INDEX "cloud_connections_check" ON "cloud_connections" USING btree ("check_at");--> statement-breakpoint
CREATE INDEX "cloud_connections_look" ON "cloud_connections" USING btree ("look_at");--> statement-breakpoint
ALTER TABLE "cloud_accounts" DROP COLUMN "latest_role_version";--> statement-breakpoint
ALTER TABLE "cloud_accounts" DROP COLUMN "latest_role_version_description";--> statement-breakpoint
SELECT wall_off('cloud_connections');--> statement-breakpoint
-- Connections from before are checked at once.
INSERT INTO "cloud_connections" ("id", "organization_id", "cloud_account_id", "check_at", "look_at")
  SELECT replace("id", 'ca_', 'cc_'), "organization_id", "id", now(), now() FROM "cloud_accounts" WHERE "cloud_arn" IS NOT NULL;
