-- The bytes of each piece of a log that is stored, by a statement that is planned once. `keep_bytes` makes one of the
-- names of table and column, each time anew, which took most of the time of storing a piece.
CREATE FUNCTION keep_bytes_of_step_logs() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  change record;
BEGIN
  FOR change IN SELECT organization_id, sum(octet_length(text))::bigint AS bytes FROM came GROUP BY organization_id
  LOOP
    PERFORM add_to_count(change.organization_id, 'step_log_chunks.text', change.bytes);
  END LOOP;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER bytes_inserted AFTER INSERT ON step_log_chunks REFERENCING NEW TABLE AS came
  FOR EACH STATEMENT EXECUTE FUNCTION keep_bytes_of_step_logs();
