CREATE TABLE "service_account_trusts" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"service_account_id" text NOT NULL,
	"name" text NOT NULL,
	"issuer" text NOT NULL,
	"audience" text NOT NULL,
	"subject" text NOT NULL,
	"claims" jsonb NOT NULL,
	"token_lifetime_seconds" integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "trust_id" text;--> statement-breakpoint
ALTER TABLE "service_account_trusts" ADD CONSTRAINT "service_account_trusts_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service_account_trusts" ADD CONSTRAINT "service_account_trusts_service_account_id_service_accounts_id_fk" FOREIGN KEY ("service_account_id") REFERENCES "public"."service_accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "service_account_trusts_organization" ON "service_account_trusts" USING btree ("organization_id","id");--> statement-breakpoint
CREATE INDEX "service_account_trusts_account" ON "service_account_trusts" USING btree ("service_account_id");--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_trust_id_service_account_trusts_id_fk" FOREIGN KEY ("trust_id") REFERENCES "public"."service_account_trusts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "api_keys_trust" ON "api_keys" USING btree ("trust_id");--> statement-breakpoint
SELECT wall_off('service_account_trusts');
