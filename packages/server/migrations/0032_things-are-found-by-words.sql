CREATE TABLE "search_words" (
	"organization_id" text NOT NULL,
	"resource" text NOT NULL,
	"word" text NOT NULL,
	"record_id" text NOT NULL,
	CONSTRAINT "search_words_record_id_word_pk" PRIMARY KEY("record_id","word")
);
--> statement-breakpoint
CREATE INDEX "search_words_found" ON "search_words" USING btree ("organization_id","resource","word" text_pattern_ops,"record_id");
--> statement-breakpoint
SELECT wall_off('search_words');
--> statement-breakpoint
-- The words of texts, in small letters: what stands between blanks, and the parts of that. A dot is a part of a word,
-- as in 2.1.0. Few and short, whatever somebody writes. Arrays, since the planner believes of every text split to a
-- table that it has 1,000 parts: it would compile a query of 0.1 ms for 20.
CREATE FUNCTION words_of(texts text[]) RETURNS SETOF text LANGUAGE sql IMMUTABLE ROWS 10 AS $$
  SELECT DISTINCT word FROM unnest(texts) AS given,
    unnest(regexp_split_to_array(left(lower(given), 500), '[[:space:][:cntrl:]]+')) AS whole,
    unnest(regexp_split_to_array(whole, '[][!"#$%&''()*+,/:;<=>?@\\^`{|}~_-]+') || whole) AS part,
    LATERAL (SELECT btrim(left(part, 200), '.') AS word) AS words
  WHERE word <> '' LIMIT 50
$$;
--> statement-breakpoint
-- What people know a deployment by: its service and environment as they are called then, what is released, and what
-- was said of it. Of an image its name and tag, as all come from the same few registries.
CREATE FUNCTION searched_texts(one deployments) RETURNS text[] LANGUAGE sql STABLE AS $$
  SELECT ARRAY[instance.given_id, instance.name, environment.given_id, environment.name,
    regexp_replace(image, '^.*/', ''), one.release #>> '{definition,source,ref}', one.description]
  FROM module_instances instance JOIN environments environment ON environment.id = one.environment_id,
    LATERAL (SELECT coalesce(one.release #>> '{taskDefinition,register,containerDefinitions,0,image}',
      one.release #>> '{definition,imageUri}', one.data ->> 'imageUri', one.data #>> '{deployedRelease,imageUri}',
      one.data #>> '{deployedTaskDefinition,definition,containerDefinitions,0,image}') AS image) AS released
  WHERE instance.id = one.module_instance_id
$$;
--> statement-breakpoint
CREATE FUNCTION searched_texts(one pipeline_runs) RETURNS text[] LANGUAGE sql STABLE AS $$
  SELECT ARRAY[pipeline.given_id, pipeline.name, one.triggered_by, one.description]
  FROM pipelines pipeline WHERE pipeline.id = one.pipeline_id
$$;
--> statement-breakpoint
-- What was made: a resource that was planned need never come to be.
CREATE FUNCTION searched_texts(one iac_resources) RETURNS text[] LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN one.run_type = 'APPLY' THEN
    ARRAY[one.address, one.resource_type, one.resource_name, one.vendor_data #>> '{after,arn}', one.vendor_data #>> '{after,name}'] END
$$;
--> statement-breakpoint
-- Keeps the words of a table's rows from now on, and of those that are there.
CREATE FUNCTION keep_words_of(kept regclass) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql AS $body$
    DECLARE
      one %s;
    BEGIN
      IF TG_OP = ''DELETE'' THEN
        DELETE FROM search_words WHERE record_id = OLD.id;
      ELSE
        one := NEW;
        INSERT INTO search_words (organization_id, resource, word, record_id)
        SELECT NEW.organization_id, %L, word, NEW.id FROM words_of(searched_texts(one)) AS word;
      END IF;
      RETURN NULL;
    END
    $body$', 'keep_words_of_' || kept, kept, replace(kept::text, '_', '-'));
  EXECUTE format('CREATE TRIGGER words_kept AFTER INSERT OR DELETE ON %s
    FOR EACH ROW EXECUTE FUNCTION %I()', kept, 'keep_words_of_' || kept);
  EXECUTE format('INSERT INTO search_words (organization_id, resource, word, record_id)
    SELECT one.organization_id, %L, word, one.id FROM %s AS one, words_of(searched_texts(one)) AS word',
    replace(kept::text, '_', '-'), kept);
END
$$;
--> statement-breakpoint
SELECT keep_words_of(kept::regclass) FROM (VALUES ('deployments'), ('pipeline_runs'), ('iac_resources')) AS tables (kept);
