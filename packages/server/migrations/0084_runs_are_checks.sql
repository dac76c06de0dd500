-- How the git host shows a run: as a check, by the host's own id, that a call began to make at `check_attempted_at`;
-- or by a status. Of those that it was told of already it has statuses.
ALTER TABLE "git_feedback" ADD COLUMN "check_id" text;
--> statement-breakpoint
ALTER TABLE "git_feedback" ADD COLUMN "check_attempted_at" timestamp (3) with time zone;
--> statement-breakpoint
ALTER TABLE "git_feedback" ADD COLUMN "has_status" boolean DEFAULT true NOT NULL;
--> statement-breakpoint
ALTER TABLE "git_feedback" ALTER COLUMN "has_status" SET DEFAULT false;
