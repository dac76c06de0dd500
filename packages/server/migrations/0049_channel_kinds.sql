ALTER TABLE "notification_channels" ALTER COLUMN "url" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "notification_channels" ALTER COLUMN "sealed_secret" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "notification_channels" ADD COLUMN "recipients" jsonb DEFAULT '[]'::jsonb NOT NULL;
