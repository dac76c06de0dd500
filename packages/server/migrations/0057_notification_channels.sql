ALTER TABLE "notification_channels" ADD COLUMN "format" text DEFAULT 'STANDARD' NOT NULL;--> statement-breakpoint
ALTER TABLE "notification_channels" ADD COLUMN "quiet_hours" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "notification_channels" ADD COLUMN "digest" text DEFAULT 'NONE' NOT NULL;--> statement-breakpoint
ALTER TABLE "notification_channels" ADD COLUMN "time_zone" text DEFAULT 'UTC' NOT NULL;--> statement-breakpoint
ALTER TABLE "notification_deliveries" ADD COLUMN "is_held_back" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "notification_deliveries" ADD COLUMN "digest_id" text;
