CREATE TABLE "backup_reports" (
	"id" text PRIMARY KEY NOT NULL,
	"finished_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
-- Of no organization, so requests see nothing of it.
ALTER TABLE "backup_reports" ENABLE ROW LEVEL SECURITY;
