ALTER TABLE "notification_channels" ADD COLUMN "minimum_severity" text DEFAULT 'INFO' NOT NULL;
