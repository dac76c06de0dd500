-- Whether no deployment of the instance waits or runs, at the moment of the call. VOLATILE, so that a statement that
-- has waited for the lock of the instance sees what was committed meanwhile, which the statement itself does not.
CREATE FUNCTION is_queue_empty(instance text) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN NOT EXISTS (SELECT FROM deployments WHERE module_instance_id = instance AND wake_at IS NOT NULL);
END
$$;
