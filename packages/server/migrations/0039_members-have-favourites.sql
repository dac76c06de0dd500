CREATE TABLE "favourites" (
	"organization_id" text NOT NULL,
	"membership_id" text NOT NULL,
	"record_id" text NOT NULL,
	"position" integer NOT NULL,
	CONSTRAINT "favourites_membership_id_record_id_pk" PRIMARY KEY("membership_id","record_id")
);
--> statement-breakpoint
ALTER TABLE "favourites" ADD CONSTRAINT "favourites_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "favourites" ADD CONSTRAINT "favourites_membership_id_memberships_id_fk" FOREIGN KEY ("membership_id") REFERENCES "public"."memberships"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
SELECT wall_off('favourites');
