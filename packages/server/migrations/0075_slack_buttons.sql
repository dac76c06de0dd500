ALTER TABLE "notification_channels" ADD COLUMN "sealed_signing_secret" text;--> statement-breakpoint
CREATE TABLE "slack_accounts" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"membership_id" text NOT NULL,
	"slack_team" text NOT NULL,
	"slack_team_name" text,
	"slack_user" text NOT NULL,
	"slack_user_name" text
);
--> statement-breakpoint
CREATE TABLE "slack_presses" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"channel_id" text NOT NULL,
	"request_hash" text NOT NULL,
	"sealed_response_url" text,
	"reply" jsonb,
	"wake_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "slack_accounts" ADD CONSTRAINT "slack_accounts_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "slack_accounts" ADD CONSTRAINT "slack_accounts_membership_id_memberships_id_fk" FOREIGN KEY ("membership_id") REFERENCES "public"."memberships"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "slack_presses" ADD CONSTRAINT "slack_presses_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "slack_presses" ADD CONSTRAINT "slack_presses_channel_id_notification_channels_id_fk" FOREIGN KEY ("channel_id") REFERENCES "public"."notification_channels"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "slack_accounts_person" ON "slack_accounts" USING btree ("organization_id","slack_team","slack_user");--> statement-breakpoint
CREATE UNIQUE INDEX "slack_accounts_membership" ON "slack_accounts" USING btree ("membership_id");--> statement-breakpoint
CREATE UNIQUE INDEX "slack_presses_once" ON "slack_presses" USING btree ("organization_id","request_hash");--> statement-breakpoint
CREATE INDEX "slack_presses_channel" ON "slack_presses" USING btree ("channel_id");--> statement-breakpoint
CREATE INDEX "slack_presses_created" ON "slack_presses" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "slack_presses_wake" ON "slack_presses" USING btree ("wake_at") WHERE wake_at is not null;--> statement-breakpoint
SELECT wall_off('slack_accounts');--> statement-breakpoint
SELECT wall_off('slack_presses');
