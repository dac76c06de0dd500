-- Adds to a count of an organization, in a row that nobody else holds, or a new one: nobody waits, nobody can deadlock,
-- and the sum over all rows is what every transaction sees. There come to be as many rows as there were writers at a time.
CREATE FUNCTION add_to_count(whose text, counted text, difference bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE row_counts SET row_count = row_count + difference WHERE id = (
    SELECT id FROM row_counts
    WHERE organization_id = whose AND table_name = counted
    LIMIT 1 FOR UPDATE SKIP LOCKED);
  IF NOT FOUND THEN
    INSERT INTO row_counts (id, organization_id, table_name, row_count)
    VALUES (gen_random_uuid(), whose, counted, difference);
  END IF;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION keep_count() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  change record;
BEGIN
  FOR change IN
    SELECT organization_id, count(*) * CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END AS difference
    FROM changed GROUP BY organization_id
  LOOP
    PERFORM add_to_count(change.organization_id, TG_TABLE_NAME, change.difference);
  END LOOP;
  RETURN NULL;
END
$$;
--> statement-breakpoint
-- Keeps the sum of the bytes of the column TG_ARGV[0], under `table.column`. The length of a long text is read without
-- the text.
CREATE FUNCTION keep_bytes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  change record;
  came text := format('SELECT organization_id, octet_length(%I)::bigint AS bytes FROM came', TG_ARGV[0]);
  gone text := format('SELECT organization_id, -octet_length(%I)::bigint AS bytes FROM gone', TG_ARGV[0]);
BEGIN
  FOR change IN EXECUTE format(
    'SELECT organization_id, sum(bytes)::bigint AS difference FROM (%s) AS changes GROUP BY organization_id HAVING sum(bytes) <> 0',
    CASE TG_OP WHEN 'INSERT' THEN came WHEN 'DELETE' THEN gone ELSE came || ' UNION ALL ' || gone END)
  LOOP
    PERFORM add_to_count(change.organization_id, TG_TABLE_NAME || '.' || TG_ARGV[0], change.difference);
  END LOOP;
  RETURN NULL;
END
$$;
--> statement-breakpoint
-- Counts the bytes of a column and keeps counting. The triggers come first: making them waits for those who write, and
-- lets nobody write before the migration ends.
CREATE FUNCTION keep_bytes_of(counted regclass, measured name) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE TRIGGER bytes_inserted AFTER INSERT ON %s REFERENCING NEW TABLE AS came
    FOR EACH STATEMENT EXECUTE FUNCTION keep_bytes(%L)', counted, measured);
  EXECUTE format('CREATE TRIGGER bytes_updated AFTER UPDATE ON %s REFERENCING OLD TABLE AS gone NEW TABLE AS came
    FOR EACH STATEMENT EXECUTE FUNCTION keep_bytes(%L)', counted, measured);
  EXECUTE format('CREATE TRIGGER bytes_deleted AFTER DELETE ON %s REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION keep_bytes(%L)', counted, measured);
  EXECUTE format('INSERT INTO row_counts (id, organization_id, table_name, row_count)
    SELECT gen_random_uuid(), organization_id, %L, sum(octet_length(%I)) FROM %s
    GROUP BY organization_id HAVING sum(octet_length(%2$I)) > 0', counted::text || '.' || measured, measured, counted);
END
$$;
--> statement-breakpoint
SELECT keep_bytes_of(kept.of::regclass, kept.measured) FROM (VALUES
  ('step_log_chunks', 'text'), ('iac_state_versions', 'sealed'), ('iac_plans', 'sealed')) AS kept (of, measured);
