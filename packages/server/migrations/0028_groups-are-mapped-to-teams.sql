ALTER TABLE "identity_providers" ADD COLUMN "group_teams" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "team_members" ADD COLUMN "source" text DEFAULT 'HAND' NOT NULL;--> statement-breakpoint
ALTER TABLE "team_members" ADD COLUMN "provider_id" text;--> statement-breakpoint
ALTER TABLE "team_members" ADD CONSTRAINT "team_members_provider_id_identity_providers_id_fk" FOREIGN KEY ("provider_id") REFERENCES "public"."identity_providers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "team_members_provider" ON "team_members" USING btree ("provider_id");--> statement-breakpoint
ALTER TABLE "team_members" ADD CONSTRAINT "team_members_of_groups" CHECK (case source when 'GROUP' then membership_id is not null else provider_id is null end);