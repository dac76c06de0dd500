ALTER TABLE "artifacts" ADD COLUMN "taken_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "artifacts" ADD COLUMN "removal_began_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "artifacts" ADD COLUMN "removed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "artifacts" ADD COLUMN "removal_reason" text;--> statement-breakpoint
ALTER TABLE "artifacts" ADD COLUMN "removal_failures" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "artifacts" ADD COLUMN "removal_error" text;--> statement-breakpoint
ALTER TABLE "artifacts" ADD COLUMN "removal_try_at" timestamp (3) with time zone;--> statement-breakpoint
DROP INDEX "artifacts_once";--> statement-breakpoint
CREATE UNIQUE INDEX "artifacts_once" ON "artifacts" USING btree ("organization_id","content_key","digest") WHERE "removed_at" is null;--> statement-breakpoint
CREATE INDEX "artifacts_place" ON "artifacts" USING btree ("bucket","key");--> statement-breakpoint
CREATE INDEX "artifacts_removal" ON "artifacts" USING btree ("organization_id","removal_try_at") WHERE removal_try_at is not null;--> statement-breakpoint
-- What an artifact is called by: pipelines/artifacts/marks.ts says the same.
CREATE FUNCTION mark_of(kind text, key text, digest text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE kind
    WHEN 'image' THEN regexp_replace(digest, '^\w+:', '')
    ELSE regexp_replace(regexp_replace(key, '^.*/', ''), '\.zip$', '')
  END
$$;
--> statement-breakpoint
CREATE INDEX "artifacts_mark" ON "artifacts" USING btree ("organization_id",mark_of("kind", "key", "digest"));--> statement-breakpoint
CREATE TABLE "artifact_retentions" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"is_enabled" boolean NOT NULL,
	"keep_days" integer NOT NULL,
	"keep_latest" integer NOT NULL,
	"wake_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "artifact_retentions" ADD CONSTRAINT "artifact_retentions_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "artifact_retentions_organization" ON "artifact_retentions" USING btree ("organization_id");--> statement-breakpoint
CREATE INDEX "artifact_retentions_wake" ON "artifact_retentions" USING btree ("wake_at") WHERE wake_at is not null;--> statement-breakpoint
SELECT wall_off('artifact_retentions');
--> statement-breakpoint
-- Nothing is released that was removed, and nothing is removed that is being released: whoever releases an artifact
-- holds it until the release can be seen, and whoever begins to remove one has it to itself, and looks at releases
-- after that. As its owner: an artifact may have been built where whoever releases it sees nothing.
CREATE FUNCTION release_what_is_there() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  said text := NEW.release::text;
  marks text[] := ARRAY(SELECT DISTINCT m[1] FROM regexp_matches(said, '[0-9a-f]{32,}|run_[0-9a-z]+(?=-)', 'g') AS m);
  gone record;
BEGIN
  PERFORM FROM artifacts WHERE organization_id = NEW.organization_id
    AND (mark_of(kind, key, digest) = ANY (marks) OR kind = 'image' AND pipeline_run_id = ANY (marks))
    ORDER BY id FOR SHARE;
  IF NOT FOUND THEN
    RETURN NEW;
  END IF;
  -- A statement of its own, which sees what came of a removal that was waited for. What was built again is there.
  SELECT CASE kind WHEN 'image' THEN bucket || '/' || key || '@' || digest ELSE 's3://' || bucket || '/' || key END AS place,
      max(coalesce(removed_at, removal_began_at)) AS since
    INTO gone FROM artifacts
    WHERE organization_id = NEW.organization_id AND CASE kind
      WHEN 'image' THEN strpos(said, key) > 0 AND (
        strpos(said, digest) > 0
        OR strpos(said, pipeline_run_id || '-') > 0 AND strpos(said, '-' || left(content_key, 8)) > 0)
      ELSE strpos(said, bucket) > 0 AND strpos(said, key) > 0
    END AND (mark_of(kind, key, digest) = ANY (marks) OR kind = 'image' AND pipeline_run_id = ANY (marks))
    GROUP BY 1 HAVING bool_and(removal_began_at IS NOT NULL) LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION '% was removed', gone.place USING ERRCODE = 'restrict_violation',
      CONSTRAINT = 'release_what_is_there', DETAIL = json_build_object('place', gone.place, 'since', gone.since)::text;
  END IF;
  RETURN NEW;
END
$$;
--> statement-breakpoint
-- What others have released is written down whatever became of it.
CREATE TRIGGER release_what_is_there BEFORE INSERT ON deployments
  FOR EACH ROW WHEN (NEW.status = 'PENDING' AND NEW.trigger_source <> 'EXTERNAL') EXECUTE FUNCTION release_what_is_there();
