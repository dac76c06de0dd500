CREATE TABLE "pipeline_run_numbers" (
	"pipeline_id" text PRIMARY KEY NOT NULL,
	"organization_id" text NOT NULL,
	"latest" integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE "pipeline_runs" ADD COLUMN "number" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "pipeline_run_numbers" ADD CONSTRAINT "pipeline_run_numbers_pipeline_id_pipelines_id_fk" FOREIGN KEY ("pipeline_id") REFERENCES "public"."pipelines"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pipeline_run_numbers" ADD CONSTRAINT "pipeline_run_numbers_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
SELECT wall_off('pipeline_run_numbers');
--> statement-breakpoint
SELECT show_if('pipeline_run_numbers', 'pipeline_id NOT IN (SELECT hidden_pipelines())');
--> statement-breakpoint
-- Numbers the runs that are there by their age. Not a change of theirs: what is final stays so, and nobody is told.
ALTER TABLE pipeline_runs DISABLE TRIGGER USER;
--> statement-breakpoint
UPDATE pipeline_runs SET number = counted.number
FROM (SELECT id, row_number() OVER (PARTITION BY pipeline_id ORDER BY id) AS number FROM pipeline_runs) AS counted
WHERE counted.id = pipeline_runs.id;
--> statement-breakpoint
ALTER TABLE pipeline_runs ENABLE TRIGGER USER;
--> statement-breakpoint
INSERT INTO pipeline_run_numbers (pipeline_id, organization_id, latest)
SELECT pipeline_id, organization_id, max(number) FROM pipeline_runs GROUP BY pipeline_id, organization_id;
--> statement-breakpoint
CREATE UNIQUE INDEX "pipeline_runs_number" ON "pipeline_runs" USING btree ("pipeline_id","number");
--> statement-breakpoint
-- Gives a run its number in the transaction that inserts it: others of the pipeline wait until it ends. One that fails
-- gives its number back. As the owner, since a run may be begun by what somebody does who does not see its pipeline.
CREATE FUNCTION number_run() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  INSERT INTO public.pipeline_run_numbers AS known (pipeline_id, organization_id, latest)
  VALUES (NEW.pipeline_id, NEW.organization_id, 1)
  ON CONFLICT (pipeline_id) DO UPDATE SET latest = known.latest + 1
  RETURNING latest INTO NEW.number;
  RETURN NEW;
END
$$;
--> statement-breakpoint
CREATE TRIGGER run_numbered BEFORE INSERT ON pipeline_runs FOR EACH ROW EXECUTE FUNCTION number_run();
--> statement-breakpoint
-- A run is found by its number, too.
CREATE OR REPLACE FUNCTION searched_texts(one pipeline_runs) RETURNS text[] LANGUAGE sql STABLE AS $$
  SELECT ARRAY[pipeline.given_id, pipeline.name, '#' || one.number, one.triggered_by, one.description]
  FROM pipelines pipeline WHERE pipeline.id = one.pipeline_id
$$;
--> statement-breakpoint
INSERT INTO search_words (organization_id, resource, word, record_id)
SELECT one.organization_id, 'pipeline-runs', word, one.id
FROM pipeline_runs AS one, words_of(ARRAY['#' || one.number]) AS word
ON CONFLICT DO NOTHING;
