CREATE TABLE "saved_views" (
	"organization_id" text NOT NULL,
	"membership_id" text NOT NULL,
	"page" text NOT NULL,
	"name" text NOT NULL,
	"search" text NOT NULL,
	"is_shared" boolean NOT NULL,
	"position" integer NOT NULL,
	CONSTRAINT "saved_views_membership_id_page_name_pk" PRIMARY KEY("membership_id","page","name")
);
--> statement-breakpoint
ALTER TABLE "saved_views" ADD CONSTRAINT "saved_views_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "saved_views" ADD CONSTRAINT "saved_views_membership_id_memberships_id_fk" FOREIGN KEY ("membership_id") REFERENCES "public"."memberships"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "saved_views_organization" ON "saved_views" USING btree ("organization_id");--> statement-breakpoint
SELECT wall_off('saved_views');
