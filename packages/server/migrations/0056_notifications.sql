ALTER TABLE "notification_channels" ADD COLUMN "minimum_severity" text DEFAULT 'INFO' NOT NULL;--> statement-breakpoint
ALTER TABLE "notification_channels" ADD COLUMN "broken_since" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "notification_positions" ADD COLUMN "remind_at" timestamp (3) with time zone DEFAULT now();
