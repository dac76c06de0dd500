ALTER TABLE "audit_events" ADD COLUMN "content_hash" text;--> statement-breakpoint
CREATE TABLE "audit_chain" (
	"organization_id" text NOT NULL,
	"sequence" bigint NOT NULL,
	"audit_event_id" text NOT NULL,
	"previous_hash" text NOT NULL,
	"hash" text NOT NULL,
	CONSTRAINT "audit_chain_organization_id_sequence_pk" PRIMARY KEY("organization_id","sequence")
);
--> statement-breakpoint
CREATE TABLE "audit_heads" (
	"organization_id" text PRIMARY KEY NOT NULL,
	"sequence" bigint NOT NULL,
	"previous_hash" text NOT NULL,
	"hash" text NOT NULL,
	"exported_sequence" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX "audit_chain_event" ON "audit_chain" USING btree ("audit_event_id");--> statement-breakpoint
ALTER TABLE audit_chain ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE audit_heads ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
-- Nobody writes these but the function below, in the role that owns the tables.
CREATE POLICY own_organization ON audit_chain TO sluice_tenant USING (organization_id = current_organization());
--> statement-breakpoint
CREATE POLICY own_organization ON audit_heads TO sluice_tenant USING (organization_id = current_organization());
--> statement-breakpoint
GRANT SELECT ON audit_chain, audit_heads TO sluice_tenant;
--> statement-breakpoint
GRANT SELECT, DELETE ON audit_chain TO sluice_audit_retention;
--> statement-breakpoint
CREATE POLICY retention ON audit_chain TO sluice_audit_retention USING (true);
--> statement-breakpoint
-- Not even the role that removes lines for their age removes one of the last 30 days, the least that lines are kept.
CREATE OR REPLACE FUNCTION audit_events_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND current_user = 'sluice_audit_retention' AND OLD.created_at < now() - interval '30 days' THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'a line of the audit log is neither changed nor removed' USING ERRCODE = 'restrict_violation';
END
$$;
--> statement-breakpoint
CREATE FUNCTION audit_chain_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND current_user = 'sluice_audit_retention' AND NOT EXISTS (
    SELECT FROM audit_events WHERE id = OLD.audit_event_id AND created_at >= now() - interval '30 days')
  THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'a link of the audit log is neither changed nor removed' USING ERRCODE = 'restrict_violation';
END
$$;
--> statement-breakpoint
CREATE TRIGGER audit_chain_stays BEFORE DELETE OR UPDATE ON audit_chain
  FOR EACH ROW EXECUTE FUNCTION audit_chain_stays();
--> statement-breakpoint
CREATE TRIGGER audit_chain_stays_whole BEFORE TRUNCATE ON audit_chain
  FOR EACH STATEMENT EXECUTE FUNCTION audit_chain_stays();
--> statement-breakpoint
-- `chainHashOf` in src/identity/audit-events computes the same hash.
CREATE FUNCTION chain_audit_event() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  said text := floor(extract(epoch FROM NEW.created_at) * 1000)::bigint || E'\n' || coalesce(NEW.content_hash, '');
BEGIN
  WITH head AS (
    INSERT INTO audit_heads AS last (organization_id, sequence, previous_hash, hash)
    VALUES (NEW.organization_id, 1, repeat('0', 64), link_hash(repeat('0', 64), 1, said))
    ON CONFLICT (organization_id) DO UPDATE SET
      sequence = last.sequence + 1,
      previous_hash = last.hash,
      hash = link_hash(last.hash, last.sequence + 1, said)
    RETURNING sequence, previous_hash, hash)
  INSERT INTO audit_chain (organization_id, sequence, audit_event_id, previous_hash, hash)
  SELECT NEW.organization_id, sequence, NEW.id, previous_hash, hash FROM head;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE FUNCTION link_hash(previous text, sequence bigint, said text) RETURNS text LANGUAGE sql IMMUTABLE
RETURN encode(sha256(convert_to(previous || E'\n' || sequence || E'\n' || said, 'UTF8')), 'hex');
--> statement-breakpoint
-- When the transaction is committed: before, a lock that all changes of an organization want would be held for long.
CREATE CONSTRAINT TRIGGER chain_audit_event AFTER INSERT ON audit_events DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION chain_audit_event();
