-- A finished deployment never changes again, whatever a late message, an old process or a person with psql tries.
CREATE FUNCTION refuse_change_of_final_deployment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'deployment % is % and can no longer change', OLD.id, OLD.status USING ERRCODE = 'check_violation';
END
$$;
--> statement-breakpoint
CREATE TRIGGER deployments_final BEFORE UPDATE ON deployments FOR EACH ROW
  WHEN (OLD.status IN ('SUCCESS', 'ERROR', 'CANCELLED', 'ROLLED_BACK'))
  EXECUTE FUNCTION refuse_change_of_final_deployment();
--> statement-breakpoint
ALTER TABLE deployments ADD CONSTRAINT deployments_status_known CHECK (
  status IN ('PENDING', 'IN_PROGRESS', 'SUCCESS', 'ERROR', 'CANCELLED', 'ROLLING_BACK', 'ROLLED_BACK'));
--> statement-breakpoint
-- Nothing can be stuck: what is not final has a wake-up and a deadline, and what is final has none.
ALTER TABLE deployments ADD CONSTRAINT deployments_wake_until_final CHECK (
  (status IN ('SUCCESS', 'ERROR', 'CANCELLED', 'ROLLED_BACK'))
  = (wake_at IS NULL AND deadline_at IS NULL AND waiting_for IS NULL));
--> statement-breakpoint
ALTER TABLE deployments ADD CONSTRAINT deployments_waiting_says_why CHECK (
  (wake_at IS NULL) = (deadline_at IS NULL) AND (wake_at IS NULL) = (waiting_for IS NULL));
