CREATE TABLE "git_releases" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"environment_id" text NOT NULL,
	"code_source_id" text,
	"commit" text,
	"attempted_at" timestamp (3) with time zone,
	"host_id" text,
	"is_replaced" boolean DEFAULT false NOT NULL,
	"told_status" text,
	"failures" integer DEFAULT 0 NOT NULL,
	"failure" text,
	"wake_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "git_releases" ADD CONSTRAINT "git_releases_id_deployments_id_fk" FOREIGN KEY ("id") REFERENCES "public"."deployments"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "git_releases" ADD CONSTRAINT "git_releases_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "git_releases" ADD CONSTRAINT "git_releases_code_source_id_code_sources_id_fk" FOREIGN KEY ("code_source_id") REFERENCES "public"."code_sources"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "git_releases_wake" ON "git_releases" USING btree ("wake_at") WHERE wake_at is not null;--> statement-breakpoint
CREATE INDEX "git_releases_host" ON "git_releases" USING btree ("code_source_id","host_id");--> statement-breakpoint
SELECT wall_off('git_releases');
--> statement-breakpoint
SELECT show_if('git_releases', '(ARRAY[environment_id] && (SELECT hidden_places())) IS NOT TRUE');
--> statement-breakpoint
-- As its owner: whoever releases need not see the repositories. With none connected nothing is noted.
CREATE FUNCTION tell_git_hosts_of_deployments() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO git_releases (id, organization_id, environment_id, wake_at)
  SELECT id, organization_id, environment_id, CASE WHEN status <> 'PENDING' THEN created_at END FROM added WHERE EXISTS (
    SELECT FROM code_sources WHERE organization_id = added.organization_id AND auth ->> 'kind' <> 'none'
  );
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER tell_git_hosts_of_deployments AFTER INSERT ON deployments REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION tell_git_hosts_of_deployments();
--> statement-breakpoint
-- What waits for its time is told how it stands by then, and what was given up stays so.
CREATE FUNCTION wake_git_release() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  UPDATE git_releases SET wake_at = now() WHERE id = NEW.id AND wake_at IS NULL AND failure IS NULL;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER wake_git_release AFTER UPDATE OF status ON deployments
  FOR EACH ROW WHEN (OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION wake_git_release();
