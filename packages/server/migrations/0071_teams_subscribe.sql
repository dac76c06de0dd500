ALTER TABLE "notification_channels" ADD COLUMN "team_id" text;--> statement-breakpoint
ALTER TABLE "notification_channels" ADD CONSTRAINT "notification_channels_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "notification_channels_team" ON "notification_channels" USING btree ("team_id") WHERE team_id is not null;
