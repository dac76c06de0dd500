ALTER TABLE "approval_rules" ADD COLUMN "not_author" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
CREATE TABLE "approval_delegations" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"membership_id" text NOT NULL,
	"delegate_id" text NOT NULL,
	"from" timestamp (3) with time zone NOT NULL,
	"until" timestamp (3) with time zone NOT NULL,
	"reason" text
);
--> statement-breakpoint
ALTER TABLE "approval_delegations" ADD CONSTRAINT "approval_delegations_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "approval_delegations" ADD CONSTRAINT "approval_delegations_membership_id_memberships_id_fk" FOREIGN KEY ("membership_id") REFERENCES "public"."memberships"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "approval_delegations" ADD CONSTRAINT "approval_delegations_delegate_id_memberships_id_fk" FOREIGN KEY ("delegate_id") REFERENCES "public"."memberships"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "approval_delegations_organization" ON "approval_delegations" USING btree ("organization_id","id");--> statement-breakpoint
CREATE INDEX "approval_delegations_membership" ON "approval_delegations" USING btree ("membership_id");--> statement-breakpoint
CREATE INDEX "approval_delegations_delegate" ON "approval_delegations" USING btree ("delegate_id");--> statement-breakpoint
SELECT wall_off('approval_delegations');
--> statement-breakpoint
ALTER TABLE "policies" ADD COLUMN "approval" jsonb;
