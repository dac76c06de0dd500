CREATE TABLE "encryption_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"fingerprint" text NOT NULL
);
--> statement-breakpoint
-- Of no organization, so requests see nothing of it.
ALTER TABLE "encryption_keys" ENABLE ROW LEVEL SECURITY;
