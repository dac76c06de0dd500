ALTER TABLE "notification_channels" ADD COLUMN "membership_id" text;--> statement-breakpoint
ALTER TABLE "notification_channels" ADD COLUMN "topics" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "notification_channels" ADD COLUMN "project_ids" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "notification_channels" ADD CONSTRAINT "notification_channels_membership_id_memberships_id_fk" FOREIGN KEY ("membership_id") REFERENCES "public"."memberships"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "notification_channels_membership" ON "notification_channels" USING btree ("membership_id") WHERE membership_id is not null;
