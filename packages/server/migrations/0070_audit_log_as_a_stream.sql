CREATE TABLE "audit_events_to_tell" (
	"id" text PRIMARY KEY NOT NULL,
	"organization_id" text NOT NULL
);
--> statement-breakpoint
ALTER TABLE "audit_events_to_tell" ADD CONSTRAINT "audit_events_to_tell_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "audit_events_to_tell_organization" ON "audit_events_to_tell" USING btree ("organization_id","id");--> statement-breakpoint
SELECT wall_off('audit_events_to_tell');
--> statement-breakpoint
-- As its owner: whoever writes a line, retention included, need not see the channels.
CREATE FUNCTION tell_of_audit_events() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO audit_events_to_tell (id, organization_id)
  SELECT id, organization_id FROM added WHERE EXISTS (
    SELECT FROM notification_channels
    WHERE organization_id = added.organization_id AND enabled AND events ? 'audit.recorded'
  );
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER tell_of_audit_events AFTER INSERT ON audit_events REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION tell_of_audit_events();
