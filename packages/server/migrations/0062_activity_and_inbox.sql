-- The latest of a project are read from their end; those of other types are passed over in the index.
DROP INDEX "notification_events_project";--> statement-breakpoint
CREATE INDEX "notification_events_project" ON "notification_events" USING btree ("project_id","number","type");--> statement-breakpoint
SELECT note_changes_of('notification_events', 'project_id', 'environment_id');
--> statement-breakpoint
-- They never change, and nobody waits to see old ones go: those that are forgotten by the thousand are not noted.
DROP TRIGGER change_noted ON notification_events;
--> statement-breakpoint
CREATE TRIGGER change_noted AFTER INSERT ON notification_events
  FOR EACH ROW EXECUTE FUNCTION note_change_of_notification_events();
--> statement-breakpoint
CREATE TABLE "inboxes" (
	"membership_id" text PRIMARY KEY NOT NULL,
	"organization_id" text NOT NULL,
	"seen_until" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "inboxes" ADD CONSTRAINT "inboxes_membership_id_memberships_id_fk" FOREIGN KEY ("membership_id") REFERENCES "public"."memberships"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "inboxes" ADD CONSTRAINT "inboxes_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "inboxes_organization" ON "inboxes" USING btree ("organization_id");--> statement-breakpoint
SELECT wall_off('inboxes');
