-- Migration 0056 got this column after a version without it was released: a database that was upgraded from there lacks it.
ALTER TABLE "notification_channels" ADD COLUMN IF NOT EXISTS "broken_since" timestamp (3) with time zone;
