CREATE TABLE "notification_channels" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"project_id" text,
	"kind" text NOT NULL,
	"name" text NOT NULL,
	"url" text NOT NULL,
	"events" jsonb NOT NULL,
	"environment_ids" jsonb NOT NULL,
	"enabled" boolean NOT NULL,
	"told_since" timestamp (3) with time zone NOT NULL,
	"disabled_reason" text,
	"failing_since" timestamp (3) with time zone,
	"sealed_secret" text NOT NULL,
	"sealed_former_secret" text,
	"former_secret_until" timestamp (3) with time zone,
	"wake_at" timestamp (3) with time zone,
	"created_by" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "notification_deliveries" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"channel_id" text NOT NULL,
	"sequence" bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
	"event_id" text NOT NULL,
	"record_id" text NOT NULL,
	"payload" jsonb NOT NULL,
	"status" text NOT NULL,
	"attempts" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"next_attempt_at" timestamp (3) with time zone,
	"resend_of" text
);
--> statement-breakpoint
CREATE TABLE "notification_positions" (
	"organization_id" text PRIMARY KEY NOT NULL,
	"transaction_id" bigint NOT NULL,
	"read_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "notification_channels" ADD CONSTRAINT "notification_channels_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notification_channels" ADD CONSTRAINT "notification_channels_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notification_deliveries" ADD CONSTRAINT "notification_deliveries_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notification_deliveries" ADD CONSTRAINT "notification_deliveries_channel_id_notification_channels_id_fk" FOREIGN KEY ("channel_id") REFERENCES "public"."notification_channels"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notification_positions" ADD CONSTRAINT "notification_positions_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "notification_channels_organization" ON "notification_channels" USING btree ("organization_id","id");--> statement-breakpoint
CREATE INDEX "notification_channels_wake" ON "notification_channels" USING btree ("wake_at") WHERE wake_at is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "notification_deliveries_once" ON "notification_deliveries" USING btree ("channel_id","event_id") WHERE resend_of is null;--> statement-breakpoint
CREATE INDEX "notification_deliveries_pending" ON "notification_deliveries" USING btree ("channel_id","record_id","sequence") WHERE status = 'PENDING';--> statement-breakpoint
CREATE INDEX "notification_deliveries_channel" ON "notification_deliveries" USING btree ("channel_id","organization_id","id");--> statement-breakpoint
CREATE INDEX "notification_deliveries_organization" ON "notification_deliveries" USING btree ("organization_id","id");--> statement-breakpoint
SELECT wall_off('notification_channels');
--> statement-breakpoint
SELECT wall_off('notification_deliveries');
--> statement-breakpoint
SELECT wall_off('notification_positions');
--> statement-breakpoint
SELECT show_if('notification_channels', '(project_id = ANY ((SELECT hidden_places())::text[])) IS NOT TRUE');
