CREATE TABLE "archive_removals" (
	"object_key" text PRIMARY KEY NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "archive_removals_due" ON "archive_removals" USING btree ("due_at");--> statement-breakpoint
-- Of the service alone: no policy lets a tenant in.
ALTER TABLE archive_removals ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "archived_step_logs" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" text NOT NULL,
	"step_execution_id" text NOT NULL,
	"first_sequence" integer NOT NULL,
	"last_sequence" integer NOT NULL,
	"chunk_count" integer NOT NULL,
	"text_bytes" bigint NOT NULL,
	"object_key" text NOT NULL,
	"sealed_key" text NOT NULL,
	"claimed_until" timestamp (3) with time zone NOT NULL,
	"stored_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "archived_step_logs" ADD CONSTRAINT "archived_step_logs_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "archived_step_logs" ADD CONSTRAINT "archived_step_logs_step_execution_id_pipeline_step_executions_id_fk" FOREIGN KEY ("step_execution_id") REFERENCES "public"."pipeline_step_executions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "archived_step_logs_first" ON "archived_step_logs" USING btree ("step_execution_id","first_sequence");--> statement-breakpoint
CREATE INDEX "archived_step_logs_organization" ON "archived_step_logs" USING btree ("organization_id","id");--> statement-breakpoint
SELECT wall_off('archived_step_logs');
--> statement-breakpoint
SELECT show_if('archived_step_logs', 'is_step_shown(step_execution_id, (SELECT hidden_places()))');
--> statement-breakpoint
-- Whatever removes the row, its object is not forgotten. As its owner: whoever removes a pipeline, or an organization,
-- need not know of the archive. Ten minutes on, nobody who had claimed it is still writing it.
CREATE FUNCTION leave_archive() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO archive_removals (object_key, due_at) VALUES (OLD.object_key, now() + interval '10 minutes')
    ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER leave_archive AFTER DELETE ON archived_step_logs FOR EACH ROW EXECUTE FUNCTION leave_archive();--> statement-breakpoint
-- What is in the archive counts among the bytes of logs that are kept, as it did in the database.
CREATE FUNCTION count_archived_log() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    PERFORM add_to_count(OLD.organization_id, 'step_log_chunks.text', -OLD.text_bytes);
  ELSE
    PERFORM add_to_count(NEW.organization_id, 'step_log_chunks.text', NEW.text_bytes);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER archived_log_stored AFTER UPDATE ON archived_step_logs FOR EACH ROW
  WHEN (OLD.stored_at IS NULL AND NEW.stored_at IS NOT NULL) EXECUTE FUNCTION count_archived_log();--> statement-breakpoint
CREATE TRIGGER archived_log_removed AFTER DELETE ON archived_step_logs FOR EACH ROW
  WHEN (OLD.stored_at IS NOT NULL) EXECUTE FUNCTION count_archived_log();
