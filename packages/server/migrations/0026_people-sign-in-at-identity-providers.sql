CREATE TABLE "identity_providers" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"name" text NOT NULL,
	"issuer" text NOT NULL,
	"client_id" text NOT NULL,
	"sealed_client_secret" text NOT NULL,
	"groups_claim" text NOT NULL,
	"group_roles" jsonb NOT NULL,
	"default_role" text
);
--> statement-breakpoint
CREATE TABLE "sign_in_domains" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"domain" text NOT NULL,
	"challenge" text NOT NULL,
	"verified_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "sign_in_policies" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"break_glass_membership_id" text NOT NULL,
	CONSTRAINT "sign_in_policies_organization_id_unique" UNIQUE("organization_id")
);
--> statement-breakpoint
CREATE TABLE "spent_tokens" (
	"id" text PRIMARY KEY NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
DROP INDEX "identities_user_type";--> statement-breakpoint
ALTER TABLE "identities" ALTER COLUMN "password_hash" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "identities" ADD COLUMN "provider_id" text;--> statement-breakpoint
ALTER TABLE "identities" ADD COLUMN "issuer" text;--> statement-breakpoint
ALTER TABLE "identities" ADD COLUMN "subject" text;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "provider_session_id" text;--> statement-breakpoint
ALTER TABLE "identity_providers" ADD CONSTRAINT "identity_providers_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sign_in_domains" ADD CONSTRAINT "sign_in_domains_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sign_in_policies" ADD CONSTRAINT "sign_in_policies_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sign_in_policies" ADD CONSTRAINT "sign_in_policies_break_glass_membership_id_memberships_id_fk" FOREIGN KEY ("break_glass_membership_id") REFERENCES "public"."memberships"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "identity_providers_organization" ON "identity_providers" USING btree ("organization_id");--> statement-breakpoint
CREATE UNIQUE INDEX "sign_in_domains_organization_domain" ON "sign_in_domains" USING btree ("organization_id","domain");--> statement-breakpoint
CREATE UNIQUE INDEX "sign_in_domains_verified" ON "sign_in_domains" USING btree ("domain") WHERE verified_at is not null;--> statement-breakpoint
ALTER TABLE "identities" ADD CONSTRAINT "identities_provider_id_identity_providers_id_fk" FOREIGN KEY ("provider_id") REFERENCES "public"."identity_providers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "identities_password" ON "identities" USING btree ("user_id") WHERE type = 'EMAIL_PASSWORD';--> statement-breakpoint
CREATE UNIQUE INDEX "identities_provider_subject" ON "identities" USING btree ("provider_id","subject");--> statement-breakpoint
CREATE UNIQUE INDEX "identities_installation_subject" ON "identities" USING btree ("issuer","subject") WHERE provider_id is null;--> statement-breakpoint
CREATE INDEX "identities_user" ON "identities" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "sessions_identity" ON "sessions" USING btree ("identity_id");--> statement-breakpoint
ALTER TABLE "identities" ADD CONSTRAINT "identities_are_whole" CHECK (case type when 'EMAIL_PASSWORD' then password_hash is not null else issuer is not null and subject is not null end);--> statement-breakpoint
-- What was spent is of no organization, and seen by none.
ALTER TABLE spent_tokens ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
SELECT wall_off('identity_providers');--> statement-breakpoint
SELECT wall_off('sign_in_domains');--> statement-breakpoint
SELECT wall_off('sign_in_policies');
