ALTER TABLE "notification_channels" ALTER COLUMN "url" DROP NOT NULL;
