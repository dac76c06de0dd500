ALTER TABLE "organizations" ADD COLUMN "deletion" jsonb;--> statement-breakpoint
ALTER TABLE "organizations" ADD COLUMN "ends_at" timestamp (3) with time zone;--> statement-breakpoint
-- Who makes an organization acts in it already: the policy lets them insert no other.
GRANT INSERT ON organizations TO sluice_tenant;
