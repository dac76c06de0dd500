CREATE FUNCTION public.add_to_count(whose text, counted text, difference bigint) RETURNS void
    LANGUAGE plpgsql
    AS $$
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

CREATE FUNCTION public.audit_chain_stays() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  IF TG_OP = 'DELETE' AND current_user = 'sluice_audit_retention' AND NOT EXISTS (
    SELECT FROM audit_events WHERE id = OLD.audit_event_id AND created_at >= now() - interval '30 days')
  THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'a link of the audit log is neither changed nor removed' USING ERRCODE = 'restrict_violation';
END
$$;

CREATE FUNCTION public.audit_events_stay() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  IF TG_OP = 'DELETE' AND current_user = 'sluice_audit_retention' AND OLD.created_at < now() - interval '30 days' THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'a line of the audit log is neither changed nor removed' USING ERRCODE = 'restrict_violation';
END
$$;

CREATE FUNCTION public.chain_audit_event() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public'
    AS $$
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

CREATE FUNCTION public.count_archived_log() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    PERFORM add_to_count(OLD.organization_id, 'step_log_chunks.text', -OLD.text_bytes);
  ELSE
    PERFORM add_to_count(NEW.organization_id, 'step_log_chunks.text', NEW.text_bytes);
  END IF;
  RETURN NULL;
END
$$;

CREATE FUNCTION public.current_organization() RETURNS text
    LANGUAGE sql STABLE
    AS $$
  SELECT nullif(current_setting('sluice.organization_id', true), '')
$$;

CREATE FUNCTION public.hidden_instances() RETURNS SETOF text
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    AS $$
  SELECT id FROM module_instances WHERE organization_id = current_organization()
    AND (project_id = ANY (hidden_places()) OR environment_id = ANY (hidden_places()))
$$;

CREATE FUNCTION public.hidden_pipelines() RETURNS SETOF text
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    AS $$
  SELECT id FROM pipelines WHERE organization_id = current_organization() AND project_id = ANY (hidden_places())
$$;

CREATE FUNCTION public.hidden_places() RETURNS text[]
    LANGUAGE sql STABLE
    AS $$
  SELECT coalesce(nullif(current_setting('sluice.hidden_places', true), ''), '{}')::text[]
$$;

CREATE FUNCTION public.hidden_stacks() RETURNS SETOF text
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    AS $$
  SELECT id FROM stacks WHERE organization_id = current_organization() AND project_id = ANY (hidden_places())
  UNION
  SELECT stack_id FROM module_instances WHERE organization_id = current_organization() AND stack_id IS NOT NULL
    AND environment_id = ANY (hidden_places())
$$;

CREATE FUNCTION public.hidden_workspaces() RETURNS SETOF text
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    AS $$
  SELECT id FROM stack_workspaces WHERE organization_id = current_organization() AND stack_id IN (SELECT hidden_stacks())
$$;

CREATE FUNCTION public.is_long_data(part text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  SELECT part IN ('events', 'serviceDeploymentState', 'elbListenerState', 'previousTaskDefinition', 'instances', 'analysis')
$$;

CREATE FUNCTION public.is_queue_empty(instance text) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
BEGIN
  RETURN NOT EXISTS (SELECT FROM deployments WHERE module_instance_id = instance AND wake_at IS NOT NULL);
END
$$;

CREATE FUNCTION public.is_run_shown(of_run text, hidden text[]) RETURNS boolean
    LANGUAGE plpgsql STABLE SECURITY DEFINER COST 10
    AS $$
DECLARE
  places text[];
BEGIN
  SELECT ARRAY[p.project_id, i.project_id, i.environment_id] INTO places
  FROM public.pipeline_runs r JOIN public.pipelines p ON p.id = r.pipeline_id
  LEFT JOIN public.module_instances i ON i.id = r.module_instance_id
  WHERE r.id = of_run;
  RETURN NOT places && hidden;
END
$$;

CREATE FUNCTION public.is_step_shown(of_step text, hidden text[]) RETURNS boolean
    LANGUAGE plpgsql STABLE SECURITY DEFINER COST 10
    AS $$
BEGIN
  RETURN (SELECT public.is_run_shown(s.pipeline_run_id, hidden) FROM public.pipeline_step_executions s WHERE s.id = of_step);
END
$$;

CREATE FUNCTION public.keep_bytes() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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

CREATE FUNCTION public.keep_bytes_of(counted regclass, measured name) RETURNS void
    LANGUAGE plpgsql
    AS $_$
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
$_$;

CREATE FUNCTION public.keep_bytes_of_step_logs() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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

CREATE FUNCTION public.keep_count() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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

CREATE FUNCTION public.keep_count_of(counted regclass) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
  EXECUTE format('CREATE TRIGGER count_inserted AFTER INSERT ON %s REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION keep_count()', counted);
  EXECUTE format('CREATE TRIGGER count_deleted AFTER DELETE ON %s REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION keep_count()', counted);
  EXECUTE format('INSERT INTO row_counts (id, organization_id, table_name, row_count)
    SELECT gen_random_uuid(), organization_id, %L, count(*) FROM %s GROUP BY organization_id', counted, counted);
END
$$;

CREATE FUNCTION public.keep_words_of(kept regclass) RETURNS void
    LANGUAGE plpgsql
    AS $_$
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
$_$;

CREATE FUNCTION public.keep_words_of_deployments() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    DECLARE
      one deployments;
    BEGIN
      IF TG_OP = 'DELETE' THEN
        DELETE FROM search_words WHERE record_id = OLD.id;
      ELSE
        one := NEW;
        INSERT INTO search_words (organization_id, resource, word, record_id)
        SELECT NEW.organization_id, 'deployments', word, NEW.id FROM words_of(searched_texts(one)) AS word;
      END IF;
      RETURN NULL;
    END
    $$;

CREATE FUNCTION public.keep_words_of_iac_resources() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    DECLARE
      one iac_resources;
    BEGIN
      IF TG_OP = 'DELETE' THEN
        DELETE FROM search_words WHERE record_id = OLD.id;
      ELSE
        one := NEW;
        INSERT INTO search_words (organization_id, resource, word, record_id)
        SELECT NEW.organization_id, 'iac-resources', word, NEW.id FROM words_of(searched_texts(one)) AS word;
      END IF;
      RETURN NULL;
    END
    $$;

CREATE FUNCTION public.keep_words_of_pipeline_runs() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    DECLARE
      one pipeline_runs;
    BEGIN
      IF TG_OP = 'DELETE' THEN
        DELETE FROM search_words WHERE record_id = OLD.id;
      ELSE
        one := NEW;
        INSERT INTO search_words (organization_id, resource, word, record_id)
        SELECT NEW.organization_id, 'pipeline-runs', word, NEW.id FROM words_of(searched_texts(one)) AS word;
      END IF;
      RETURN NULL;
    END
    $$;

CREATE FUNCTION public.leave_archive() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public'
    AS $$
BEGIN
  INSERT INTO archive_removals (object_key, due_at) VALUES (OLD.object_key, now() + interval '10 minutes')
    ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;

CREATE FUNCTION public.leave_empty_archives() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public'
    AS $$
BEGIN
  DELETE FROM deployment_archives archive
  WHERE archive.id IN (SELECT gone.archive_id FROM gone WHERE gone.archive_id IS NOT NULL)
    AND NOT EXISTS (SELECT FROM deployments left_in WHERE left_in.archive_id = archive.id);
  RETURN NULL;
END
$$;

CREATE FUNCTION public.link_hash(previous text, sequence bigint, said text) RETURNS text
    LANGUAGE sql IMMUTABLE
    RETURN encode(sha256(convert_to(((((previous || '
'::text) || sequence) || '
'::text) || said), 'UTF8'::name)), 'hex'::text);

CREATE FUNCTION public.long_data_of_deployment(whole jsonb) RETURNS jsonb
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'public'
    AS $$
  SELECT coalesce(jsonb_object_agg(key, value) FILTER (WHERE is_long_data(key)), '{}') FROM jsonb_each(whole)
$$;

CREATE FUNCTION public.mark_of(kind text, key text, digest text) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $_$
  SELECT CASE kind
    WHEN 'image' THEN regexp_replace(digest, '^\w+:', '')
    ELSE regexp_replace(regexp_replace(key, '^.*/', ''), '\.zip$', '')
  END
$_$;

CREATE FUNCTION public.note_change_of_approval_rules() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    DECLARE
      changed approval_rules;
    BEGIN
      IF TG_OP = 'DELETE' THEN changed := OLD; ELSE changed := NEW; END IF;
      IF changed.organization_id IS NOT NULL THEN
        INSERT INTO changes (organization_id, transaction_id, resource, record_id, belongs_to)
        VALUES (changed.organization_id, pg_current_xact_id()::text::bigint, 'approval-rules', changed.id,
          jsonb_strip_nulls(jsonb_build_object('projectId', changed.project_id, 'environmentId', changed.environment_id, 'moduleInstanceId', changed.module_instance_id)))
        ON CONFLICT DO NOTHING;
      END IF;
      RETURN NULL;
    END
    $$;

CREATE FUNCTION public.note_change_of_certificates() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    DECLARE
      changed certificates;
    BEGIN
      IF TG_OP = 'DELETE' THEN changed := OLD; ELSE changed := NEW; END IF;
      IF changed.organization_id IS NOT NULL THEN
        INSERT INTO changes (organization_id, transaction_id, resource, record_id, belongs_to)
        VALUES (changed.organization_id, pg_current_xact_id()::text::bigint, 'certificates', changed.id,
          jsonb_strip_nulls(jsonb_build_object('cloudAccountId', changed.cloud_account_id)))
        ON CONFLICT DO NOTHING;
      END IF;
      RETURN NULL;
    END
    $$;

CREATE FUNCTION public.note_change_of_cloud_accounts() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    DECLARE
      changed cloud_accounts;
    BEGIN
      IF TG_OP = 'DELETE' THEN changed := OLD; ELSE changed := NEW; END IF;
      IF changed.organization_id IS NOT NULL THEN
        INSERT INTO changes (organization_id, transaction_id, resource, record_id, belongs_to)
        VALUES (changed.organization_id, pg_current_xact_id()::text::bigint, 'cloud-accounts', changed.id,
          jsonb_strip_nulls(jsonb_build_object()))
        ON CONFLICT DO NOTHING;
      END IF;
      RETURN NULL;
    END
    $$;

CREATE FUNCTION public.note_change_of_code_sources() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    DECLARE
      changed code_sources;
    BEGIN
      IF TG_OP = 'DELETE' THEN changed := OLD; ELSE changed := NEW; END IF;
      IF changed.organization_id IS NOT NULL THEN
        INSERT INTO changes (organization_id, transaction_id, resource, record_id, belongs_to)
        VALUES (changed.organization_id, pg_current_xact_id()::text::bigint, 'code-sources', changed.id,
          jsonb_strip_nulls(jsonb_build_object()))
        ON CONFLICT DO NOTHING;
      END IF;
      RETURN NULL;
    END
    $$;

CREATE FUNCTION public.note_change_of_deployments() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    DECLARE
      changed deployments;
    BEGIN
      IF TG_OP = 'DELETE' THEN changed := OLD; ELSE changed := NEW; END IF;
      IF changed.organization_id IS NOT NULL THEN
        INSERT INTO changes (organization_id, transaction_id, resource, record_id, belongs_to)
        VALUES (changed.organization_id, pg_current_xact_id()::text::bigint, 'deployments', changed.id,
          jsonb_strip_nulls(jsonb_build_object('projectId', changed.project_id, 'environmentId', changed.environment_id, 'moduleInstanceId', changed.module_instance_id, 'pipelineRunId', changed.pipeline_run_id)))
        ON CONFLICT DO NOTHING;
      END IF;
      RETURN NULL;
    END
    $$;

CREATE FUNCTION public.note_change_of_domains() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    DECLARE
      changed domains;
    BEGIN
      IF TG_OP = 'DELETE' THEN changed := OLD; ELSE changed := NEW; END IF;
      IF changed.organization_id IS NOT NULL THEN
        INSERT INTO changes (organization_id, transaction_id, resource, record_id, belongs_to)
        VALUES (changed.organization_id, pg_current_xact_id()::text::bigint, 'domains', changed.id,
          jsonb_strip_nulls(jsonb_build_object('projectId', changed.project_id, 'environmentId', changed.environment_id)))
        ON CONFLICT DO NOTHING;
      END IF;
      RETURN NULL;
    END
    $$;

CREATE FUNCTION public.note_change_of_environments() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    DECLARE
      changed environments;
    BEGIN
      IF TG_OP = 'DELETE' THEN changed := OLD; ELSE changed := NEW; END IF;
      IF changed.organization_id IS NOT NULL THEN
        INSERT INTO changes (organization_id, transaction_id, resource, record_id, belongs_to)
        VALUES (changed.organization_id, pg_current_xact_id()::text::bigint, 'environments', changed.id,
          jsonb_strip_nulls(jsonb_build_object('projectId', changed.project_id)))
        ON CONFLICT DO NOTHING;
      END IF;
      RETURN NULL;
    END
    $$;

CREATE FUNCTION public.note_change_of_execution_environments() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    DECLARE
      changed execution_environments;
    BEGIN
      IF TG_OP = 'DELETE' THEN changed := OLD; ELSE changed := NEW; END IF;
      IF changed.organization_id IS NOT NULL THEN
        INSERT INTO changes (organization_id, transaction_id, resource, record_id, belongs_to)
        VALUES (changed.organization_id, pg_current_xact_id()::text::bigint, 'execution-environments', changed.id,
          jsonb_strip_nulls(jsonb_build_object()))
        ON CONFLICT DO NOTHING;
      END IF;
      RETURN NULL;
    END
    $$;

CREATE FUNCTION public.note_change_of_freezes() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    DECLARE
      changed freezes;
    BEGIN
      IF TG_OP = 'DELETE' THEN changed := OLD; ELSE changed := NEW; END IF;
      IF changed.organization_id IS NOT NULL THEN
        INSERT INTO changes (organization_id, transaction_id, resource, record_id, belongs_to)
        VALUES (changed.organization_id, pg_current_xact_id()::text::bigint, 'freezes', changed.id,
          jsonb_strip_nulls(jsonb_build_object('projectId', changed.project_id, 'environmentId', changed.environment_id, 'moduleInstanceId', changed.module_instance_id)))
        ON CONFLICT DO NOTHING;
      END IF;
      RETURN NULL;
    END
    $$;

CREATE FUNCTION public.note_change_of_holds() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    DECLARE
      changed holds;
    BEGIN
      IF TG_OP = 'DELETE' THEN changed := OLD; ELSE changed := NEW; END IF;
      IF changed.organization_id IS NOT NULL THEN
        INSERT INTO changes (organization_id, transaction_id, resource, record_id, belongs_to)
        VALUES (changed.organization_id, pg_current_xact_id()::text::bigint, 'holds', changed.id,
          jsonb_strip_nulls(jsonb_build_object('projectId', changed.project_id, 'environmentId', changed.environment_id, 'moduleInstanceId', changed.module_instance_id)))
        ON CONFLICT DO NOTHING;
      END IF;
      RETURN NULL;
    END
    $$;

CREATE FUNCTION public.note_change_of_iac_plans() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    DECLARE
      changed iac_plans;
    BEGIN
      IF TG_OP = 'DELETE' THEN changed := OLD; ELSE changed := NEW; END IF;
      IF changed.organization_id IS NOT NULL THEN
        INSERT INTO changes (organization_id, transaction_id, resource, record_id, belongs_to)
        VALUES (changed.organization_id, pg_current_xact_id()::text::bigint, 'iac-plans', changed.id,
          jsonb_strip_nulls(jsonb_build_object('stackId', changed.stack_id, 'pipelineRunId', changed.pipeline_run_id, 'stepExecutionId', changed.step_execution_id)))
        ON CONFLICT DO NOTHING;
      END IF;
      RETURN NULL;
    END
    $$;

CREATE FUNCTION public.note_change_of_module_definitions() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    DECLARE
      changed module_definitions;
    BEGIN
      IF TG_OP = 'DELETE' THEN changed := OLD; ELSE changed := NEW; END IF;
      IF changed.organization_id IS NOT NULL THEN
        INSERT INTO changes (organization_id, transaction_id, resource, record_id, belongs_to)
        VALUES (changed.organization_id, pg_current_xact_id()::text::bigint, 'module-definitions', changed.id,
          jsonb_strip_nulls(jsonb_build_object()))
        ON CONFLICT DO NOTHING;
      END IF;
      RETURN NULL;
    END
    $$;

CREATE FUNCTION public.note_change_of_module_instances() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    DECLARE
      changed module_instances;
    BEGIN
      IF TG_OP = 'DELETE' THEN changed := OLD; ELSE changed := NEW; END IF;
      IF changed.organization_id IS NOT NULL THEN
        INSERT INTO changes (organization_id, transaction_id, resource, record_id, belongs_to)
        VALUES (changed.organization_id, pg_current_xact_id()::text::bigint, 'module-instances', changed.id,
          jsonb_strip_nulls(jsonb_build_object('projectId', changed.project_id, 'environmentId', changed.environment_id, 'moduleDefinitionId', changed.module_definition_id)))
        ON CONFLICT DO NOTHING;
      END IF;
      RETURN NULL;
    END
    $$;

CREATE FUNCTION public.note_change_of_module_versions() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    DECLARE
      changed module_versions;
    BEGIN
      IF TG_OP = 'DELETE' THEN changed := OLD; ELSE changed := NEW; END IF;
      IF changed.organization_id IS NOT NULL THEN
        INSERT INTO changes (organization_id, transaction_id, resource, record_id, belongs_to)
        VALUES (changed.organization_id, pg_current_xact_id()::text::bigint, 'module-versions', changed.id,
          jsonb_strip_nulls(jsonb_build_object('moduleDefinitionId', changed.module_definition_id)))
        ON CONFLICT DO NOTHING;
      END IF;
      RETURN NULL;
    END
    $$;

CREATE FUNCTION public.note_change_of_notification_events() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    DECLARE
      changed notification_events;
    BEGIN
      IF TG_OP = 'DELETE' THEN changed := OLD; ELSE changed := NEW; END IF;
      IF changed.organization_id IS NOT NULL THEN
        INSERT INTO changes (organization_id, transaction_id, resource, record_id, belongs_to)
        VALUES (changed.organization_id, pg_current_xact_id()::text::bigint, 'notification-events', changed.id,
          jsonb_strip_nulls(jsonb_build_object('projectId', changed.project_id, 'environmentId', changed.environment_id)))
        ON CONFLICT DO NOTHING;
      END IF;
      RETURN NULL;
    END
    $$;

CREATE FUNCTION public.note_change_of_pipeline_runs() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    DECLARE
      changed pipeline_runs;
    BEGIN
      IF TG_OP = 'DELETE' THEN changed := OLD; ELSE changed := NEW; END IF;
      IF changed.organization_id IS NOT NULL THEN
        INSERT INTO changes (organization_id, transaction_id, resource, record_id, belongs_to)
        VALUES (changed.organization_id, pg_current_xact_id()::text::bigint, 'pipeline-runs', changed.id,
          jsonb_strip_nulls(jsonb_build_object('pipelineId', changed.pipeline_id)))
        ON CONFLICT DO NOTHING;
      END IF;
      RETURN NULL;
    END
    $$;

CREATE FUNCTION public.note_change_of_pipeline_step_executions() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    DECLARE
      changed pipeline_step_executions;
    BEGIN
      IF TG_OP = 'DELETE' THEN changed := OLD; ELSE changed := NEW; END IF;
      IF changed.organization_id IS NOT NULL THEN
        INSERT INTO changes (organization_id, transaction_id, resource, record_id, belongs_to)
        VALUES (changed.organization_id, pg_current_xact_id()::text::bigint, 'pipeline-step-executions', changed.id,
          jsonb_strip_nulls(jsonb_build_object('pipelineRunId', changed.pipeline_run_id)))
        ON CONFLICT DO NOTHING;
      END IF;
      RETURN NULL;
    END
    $$;

CREATE FUNCTION public.note_change_of_pipeline_versions() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    DECLARE
      changed pipeline_versions;
    BEGIN
      IF TG_OP = 'DELETE' THEN changed := OLD; ELSE changed := NEW; END IF;
      IF changed.organization_id IS NOT NULL THEN
        INSERT INTO changes (organization_id, transaction_id, resource, record_id, belongs_to)
        VALUES (changed.organization_id, pg_current_xact_id()::text::bigint, 'pipeline-versions', changed.id,
          jsonb_strip_nulls(jsonb_build_object('pipelineId', changed.pipeline_id)))
        ON CONFLICT DO NOTHING;
      END IF;
      RETURN NULL;
    END
    $$;

CREATE FUNCTION public.note_change_of_pipelines() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    DECLARE
      changed pipelines;
    BEGIN
      IF TG_OP = 'DELETE' THEN changed := OLD; ELSE changed := NEW; END IF;
      IF changed.organization_id IS NOT NULL THEN
        INSERT INTO changes (organization_id, transaction_id, resource, record_id, belongs_to)
        VALUES (changed.organization_id, pg_current_xact_id()::text::bigint, 'pipelines', changed.id,
          jsonb_strip_nulls(jsonb_build_object('projectId', changed.project_id)))
        ON CONFLICT DO NOTHING;
      END IF;
      RETURN NULL;
    END
    $$;

CREATE FUNCTION public.note_change_of_policies() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    DECLARE
      changed policies;
    BEGIN
      IF TG_OP = 'DELETE' THEN changed := OLD; ELSE changed := NEW; END IF;
      IF changed.organization_id IS NOT NULL THEN
        INSERT INTO changes (organization_id, transaction_id, resource, record_id, belongs_to)
        VALUES (changed.organization_id, pg_current_xact_id()::text::bigint, 'policies', changed.id,
          jsonb_strip_nulls(jsonb_build_object('projectId', changed.project_id, 'environmentId', changed.environment_id, 'moduleInstanceId', changed.module_instance_id)))
        ON CONFLICT DO NOTHING;
      END IF;
      RETURN NULL;
    END
    $$;

CREATE FUNCTION public.note_change_of_preview_environments() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    DECLARE
      changed preview_environments;
    BEGIN
      IF TG_OP = 'DELETE' THEN changed := OLD; ELSE changed := NEW; END IF;
      IF changed.organization_id IS NOT NULL THEN
        INSERT INTO changes (organization_id, transaction_id, resource, record_id, belongs_to)
        VALUES (changed.organization_id, pg_current_xact_id()::text::bigint, 'preview-environments', changed.id,
          jsonb_strip_nulls(jsonb_build_object('projectId', changed.project_id, 'environmentId', changed.environment_id, 'previewTemplateId', changed.preview_template_id)))
        ON CONFLICT DO NOTHING;
      END IF;
      RETURN NULL;
    END
    $$;

CREATE FUNCTION public.note_change_of_preview_templates() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    DECLARE
      changed preview_templates;
    BEGIN
      IF TG_OP = 'DELETE' THEN changed := OLD; ELSE changed := NEW; END IF;
      IF changed.organization_id IS NOT NULL THEN
        INSERT INTO changes (organization_id, transaction_id, resource, record_id, belongs_to)
        VALUES (changed.organization_id, pg_current_xact_id()::text::bigint, 'preview-templates', changed.id,
          jsonb_strip_nulls(jsonb_build_object('projectId', changed.project_id, 'environmentId', changed.environment_id)))
        ON CONFLICT DO NOTHING;
      END IF;
      RETURN NULL;
    END
    $$;

CREATE FUNCTION public.note_change_of_projects() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    DECLARE
      changed projects;
    BEGIN
      IF TG_OP = 'DELETE' THEN changed := OLD; ELSE changed := NEW; END IF;
      IF changed.organization_id IS NOT NULL THEN
        INSERT INTO changes (organization_id, transaction_id, resource, record_id, belongs_to)
        VALUES (changed.organization_id, pg_current_xact_id()::text::bigint, 'projects', changed.id,
          jsonb_strip_nulls(jsonb_build_object()))
        ON CONFLICT DO NOTHING;
      END IF;
      RETURN NULL;
    END
    $$;

CREATE FUNCTION public.note_change_of_promotion_rules() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    DECLARE
      changed promotion_rules;
    BEGIN
      IF TG_OP = 'DELETE' THEN changed := OLD; ELSE changed := NEW; END IF;
      IF changed.organization_id IS NOT NULL THEN
        INSERT INTO changes (organization_id, transaction_id, resource, record_id, belongs_to)
        VALUES (changed.organization_id, pg_current_xact_id()::text::bigint, 'promotion-rules', changed.id,
          jsonb_strip_nulls(jsonb_build_object('projectId', changed.project_id, 'environmentId', changed.environment_id)))
        ON CONFLICT DO NOTHING;
      END IF;
      RETURN NULL;
    END
    $$;

CREATE FUNCTION public.note_change_of_stacks() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    DECLARE
      changed stacks;
    BEGIN
      IF TG_OP = 'DELETE' THEN changed := OLD; ELSE changed := NEW; END IF;
      IF changed.organization_id IS NOT NULL THEN
        INSERT INTO changes (organization_id, transaction_id, resource, record_id, belongs_to)
        VALUES (changed.organization_id, pg_current_xact_id()::text::bigint, 'stacks', changed.id,
          jsonb_strip_nulls(jsonb_build_object('projectId', changed.project_id)))
        ON CONFLICT DO NOTHING;
      END IF;
      RETURN NULL;
    END
    $$;

CREATE FUNCTION public.note_change_of_watched_repositories() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    DECLARE
      changed watched_repositories;
    BEGIN
      IF TG_OP = 'DELETE' THEN changed := OLD; ELSE changed := NEW; END IF;
      IF changed.organization_id IS NOT NULL THEN
        INSERT INTO changes (organization_id, transaction_id, resource, record_id, belongs_to)
        VALUES (changed.organization_id, pg_current_xact_id()::text::bigint, 'watched-repositories', changed.id,
          jsonb_strip_nulls(jsonb_build_object('projectId', changed.project_id)))
        ON CONFLICT DO NOTHING;
      END IF;
      RETURN NULL;
    END
    $$;

CREATE FUNCTION public.note_changes_of(noted regclass, VARIADIC parts text[]) RETURNS void
    LANGUAGE plpgsql
    AS $_$
DECLARE
  fields text;
BEGIN
  SELECT coalesce(string_agg(format('%L, changed.%I', camel, part), ', '), '') INTO fields
  FROM unnest(parts) AS part, lateral (SELECT replace(initcap(replace(part, '_', ' ')), ' ', '') AS pascal) AS p,
    lateral (SELECT lower(left(pascal, 1)) || substr(pascal, 2) AS camel) AS c;
  EXECUTE format('CREATE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql AS $body$
    DECLARE
      changed %s;
    BEGIN
      IF TG_OP = ''DELETE'' THEN changed := OLD; ELSE changed := NEW; END IF;
      IF changed.organization_id IS NOT NULL THEN
        INSERT INTO changes (organization_id, transaction_id, resource, record_id, belongs_to)
        VALUES (changed.organization_id, pg_current_xact_id()::text::bigint, %L, changed.id,
          jsonb_strip_nulls(jsonb_build_object(%s)))
        ON CONFLICT DO NOTHING;
      END IF;
      RETURN NULL;
    END
    $body$', 'note_change_of_' || noted, noted, replace(noted::text, '_', '-'), fields);
  EXECUTE format('CREATE TRIGGER change_noted AFTER INSERT OR UPDATE OR DELETE ON %s
    FOR EACH ROW EXECUTE FUNCTION %I()', noted, 'note_change_of_' || noted);
END
$_$;

CREATE FUNCTION public.number_run() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
BEGIN
  INSERT INTO public.pipeline_run_numbers AS known (pipeline_id, organization_id, latest)
  VALUES (NEW.pipeline_id, NEW.organization_id, 1)
  ON CONFLICT (pipeline_id) DO UPDATE SET latest = known.latest + 1
  RETURNING latest INTO NEW.number;
  RETURN NEW;
END
$$;

CREATE FUNCTION public.refuse_change_of_final_deployment() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  IF OLD.archive_id IS NULL AND NEW.archive_id IS NOT NULL AND NEW.data = without_long_data(OLD.data)
    AND to_jsonb(NEW) - '{archive_id,data}'::text[] = to_jsonb(OLD) - '{archive_id,data}'::text[]
  THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'deployment % is % and can no longer change', OLD.id, OLD.status USING ERRCODE = 'check_violation';
END
$$;

CREATE FUNCTION public.refuse_change_of_final_row() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  RAISE EXCEPTION '% % is % and can no longer change', TG_ARGV[0], OLD.id, OLD.status USING ERRCODE = 'check_violation';
END
$$;

CREATE FUNCTION public.release_what_is_there() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public'
    AS $$
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

CREATE TABLE public.deployments (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    module_instance_id text NOT NULL,
    project_id text NOT NULL,
    environment_id text NOT NULL,
    description text NOT NULL,
    status text NOT NULL,
    deployment_type text NOT NULL,
    trigger_source text NOT NULL,
    started_at timestamp(3) with time zone,
    completed_at timestamp(3) with time zone,
    data jsonb NOT NULL,
    error jsonb,
    external_deployment_id text,
    resource_arn text,
    resource_name text,
    pipeline_run_id text,
    step_execution_id text,
    redeploy_of_deployment_id text,
    rollback_to_deployment_id text,
    inputs jsonb NOT NULL,
    release jsonb NOT NULL,
    progress jsonb NOT NULL,
    revision integer DEFAULT 0 NOT NULL,
    wake_at timestamp(3) with time zone,
    wake_seq integer DEFAULT 0 NOT NULL,
    deadline_at timestamp(3) with time zone,
    waiting_for text,
    triggered_by_id text,
    promoted_from_deployment_id text,
    instance_input jsonb,
    module_version_id text,
    archive_id text,
    CONSTRAINT deployments_status_known CHECK ((status = ANY (ARRAY['PENDING'::text, 'IN_PROGRESS'::text, 'SUCCESS'::text, 'ERROR'::text, 'CANCELLED'::text, 'ROLLING_BACK'::text, 'ROLLED_BACK'::text]))),
    CONSTRAINT deployments_waiting_says_why CHECK ((((wake_at IS NULL) = (deadline_at IS NULL)) AND ((wake_at IS NULL) = (waiting_for IS NULL)))),
    CONSTRAINT deployments_wake_until_final CHECK (((status = ANY (ARRAY['SUCCESS'::text, 'ERROR'::text, 'CANCELLED'::text, 'ROLLED_BACK'::text])) = ((wake_at IS NULL) AND (deadline_at IS NULL) AND (waiting_for IS NULL))))
);

CREATE FUNCTION public.searched_texts(one public.deployments) RETURNS text[]
    LANGUAGE plpgsql STABLE
    AS $$
BEGIN
  RETURN (
    SELECT ARRAY[instance.given_id, instance.name, environment.given_id, environment.name,
      regexp_replace(image, '^.*/', ''), one.release #>> '{definition,source,ref}', one.description]
    FROM module_instances instance JOIN environments environment ON environment.id = one.environment_id,
      LATERAL (SELECT coalesce(one.release #>> '{taskDefinition,register,containerDefinitions,0,image}',
        one.release #>> '{definition,imageUri}', one.data ->> 'imageUri', one.data #>> '{deployedRelease,imageUri}',
        one.data #>> '{deployedTaskDefinition,definition,containerDefinitions,0,image}') AS image) AS released
    WHERE instance.id = one.module_instance_id);
END
$$;

CREATE TABLE public.iac_resources (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    pipeline_id text NOT NULL,
    pipeline_run_id text NOT NULL,
    step_execution_id text NOT NULL,
    stack_id text NOT NULL,
    address text NOT NULL,
    module_address text,
    index_key text,
    provider text NOT NULL,
    resource_name text NOT NULL,
    resource_type text NOT NULL,
    change_type text NOT NULL,
    run_type text NOT NULL,
    drift_status text NOT NULL,
    is_in_current_state boolean NOT NULL,
    tainted boolean DEFAULT false NOT NULL,
    vendor text NOT NULL,
    vendor_data jsonb NOT NULL,
    error jsonb,
    change_reasons jsonb
);

CREATE FUNCTION public.searched_texts(one public.iac_resources) RETURNS text[]
    LANGUAGE sql STABLE
    AS $$
  SELECT CASE WHEN one.run_type = 'APPLY' THEN
    ARRAY[one.address, one.resource_type, one.resource_name, one.vendor_data #>> '{after,arn}', one.vendor_data #>> '{after,name}'] END
$$;

CREATE TABLE public.pipeline_runs (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    pipeline_id text NOT NULL,
    pipeline_version_id text NOT NULL,
    description text,
    inputs jsonb NOT NULL,
    status text NOT NULL,
    trigger_source text NOT NULL,
    triggered_by text NOT NULL,
    started_at timestamp(3) with time zone,
    completed_at timestamp(3) with time zone,
    error jsonb,
    trigger jsonb,
    concurrency_group text,
    parent_step_execution_id text,
    module_instance_id text,
    is_auto_approved boolean DEFAULT false NOT NULL,
    cancel_request jsonb,
    revision integer DEFAULT 0 NOT NULL,
    wake_at timestamp(3) with time zone,
    wake_seq integer DEFAULT 0 NOT NULL,
    deadline_at timestamp(3) with time zone,
    waiting_for text,
    acts_for text,
    number integer DEFAULT 0 NOT NULL,
    retry_of text,
    traceparent text
);

CREATE FUNCTION public.searched_texts(one public.pipeline_runs) RETURNS text[]
    LANGUAGE sql STABLE
    AS $$
  SELECT ARRAY[pipeline.given_id, pipeline.name, '#' || one.number, one.triggered_by, one.description]
  FROM pipelines pipeline WHERE pipeline.id = one.pipeline_id
$$;

CREATE FUNCTION public.show_if(shown regclass, condition text) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
  EXECUTE format('CREATE POLICY not_hidden ON %s AS RESTRICTIVE FOR SELECT TO sluice_tenant
    USING (CASE WHEN (SELECT hidden_places()) = ''{}'' THEN true ELSE %s END)', shown, condition);
END
$$;

CREATE FUNCTION public.shown_arns() RETURNS SETOF text
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    AS $$
  SELECT resource_arn FROM module_instances WHERE organization_id = current_organization() AND resource_arn IS NOT NULL
    AND NOT (ARRAY[project_id, environment_id] && hidden_places())
$$;

CREATE FUNCTION public.tell_git_hosts_of_deployments() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public'
    AS $$
BEGIN
  INSERT INTO git_releases (id, organization_id, environment_id, wake_at)
  SELECT id, organization_id, environment_id, CASE WHEN status <> 'PENDING' THEN created_at END FROM added WHERE EXISTS (
    SELECT FROM code_sources WHERE organization_id = added.organization_id AND auth ->> 'kind' <> 'none'
  );
  RETURN NULL;
END
$$;

CREATE FUNCTION public.tell_of_audit_events() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public'
    AS $$
BEGIN
  INSERT INTO audit_events_to_tell (id, organization_id)
  SELECT id, organization_id FROM added WHERE EXISTS (
    SELECT FROM notification_channels
    WHERE organization_id = added.organization_id AND enabled AND events ? 'audit.recorded'
  );
  RETURN NULL;
END
$$;

CREATE FUNCTION public.wake_git_release() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public'
    AS $$
BEGIN
  UPDATE git_releases SET wake_at = now() WHERE id = NEW.id AND wake_at IS NULL AND failure IS NULL;
  RETURN NULL;
END
$$;

CREATE FUNCTION public.wall_off(walled regclass) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', walled);
  EXECUTE format('CREATE POLICY own_organization ON %s TO sluice_tenant USING (organization_id = current_organization())', walled);
  EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO sluice_tenant', walled);
END
$$;

CREATE FUNCTION public.without_long_data(whole jsonb) RETURNS jsonb
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'public'
    AS $$
  SELECT coalesce(jsonb_object_agg(key, value) FILTER (WHERE NOT is_long_data(key)), '{}') FROM jsonb_each(whole)
$$;

CREATE FUNCTION public.words_of(texts text[]) RETURNS SETOF text
    LANGUAGE sql IMMUTABLE ROWS 10
    AS $_$
  SELECT DISTINCT word FROM unnest(texts) AS given,
    unnest(regexp_split_to_array(left(lower(given), 500), '[[:space:][:cntrl:]]+')) AS whole,
    unnest(regexp_split_to_array(whole, '[][!"#$%&''()*+,/:;<=>?@\\^`{|}~_-]+') || whole) AS part,
    LATERAL (SELECT btrim(left(part, 200), '.') AS word) AS words
  WHERE word <> '' LIMIT 50
$_$;

CREATE TABLE public.api_keys (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    membership_id text,
    service_account_id text,
    name text NOT NULL,
    token_hash text NOT NULL,
    token_hint text NOT NULL,
    expires_at timestamp(3) with time zone,
    last_used_at timestamp(3) with time zone,
    revoked_at timestamp(3) with time zone,
    trust_id text
);

CREATE TABLE public.applied_files (
    project_id text NOT NULL,
    organization_id text NOT NULL,
    applied_at timestamp(3) with time zone NOT NULL,
    applied_by text NOT NULL,
    records jsonb NOT NULL,
    source jsonb
);

CREATE TABLE public.approval_delegations (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    membership_id text NOT NULL,
    delegate_id text NOT NULL,
    "from" timestamp(3) with time zone NOT NULL,
    until timestamp(3) with time zone NOT NULL,
    reason text
);

CREATE TABLE public.approval_rules (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    project_id text,
    environment_id text,
    module_instance_id text,
    name text NOT NULL,
    reason text,
    required_approvals integer NOT NULL,
    team_ids jsonb NOT NULL,
    not_starter boolean NOT NULL,
    service_accounts boolean NOT NULL,
    expires_after_minutes integer,
    rollbacks boolean NOT NULL,
    mode text NOT NULL,
    created_by text NOT NULL,
    guards jsonb DEFAULT '["DEPLOYMENTS"]'::jsonb NOT NULL,
    not_author boolean DEFAULT false NOT NULL
);

CREATE TABLE public.archive_removals (
    object_key text NOT NULL,
    due_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.archived_step_logs (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    step_execution_id text NOT NULL,
    first_sequence integer NOT NULL,
    last_sequence integer NOT NULL,
    chunk_count integer NOT NULL,
    text_bytes bigint NOT NULL,
    object_key text NOT NULL,
    sealed_key text NOT NULL,
    claimed_until timestamp(3) with time zone NOT NULL,
    stored_at timestamp(3) with time zone
);

CREATE TABLE public.artifact_retentions (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    is_enabled boolean NOT NULL,
    keep_days integer NOT NULL,
    keep_latest integer NOT NULL,
    wake_at timestamp(3) with time zone
);

CREATE TABLE public.artifacts (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    module_instance_id text NOT NULL,
    project_id text NOT NULL,
    environment_id text NOT NULL,
    pipeline_run_id text NOT NULL,
    step_execution_id text NOT NULL,
    kind text NOT NULL,
    cloud_account_id text NOT NULL,
    region text NOT NULL,
    bucket text NOT NULL,
    key text NOT NULL,
    commit text,
    content_key text NOT NULL,
    digest text NOT NULL,
    size_bytes bigint NOT NULL,
    file_count integer NOT NULL,
    build_seconds integer NOT NULL,
    provenance jsonb,
    taken_at timestamp(3) with time zone,
    removal_began_at timestamp(3) with time zone,
    removed_at timestamp(3) with time zone,
    removal_reason text,
    removal_failures integer DEFAULT 0 NOT NULL,
    removal_error text,
    removal_try_at timestamp(3) with time zone
);

CREATE TABLE public.audit_chain (
    organization_id text NOT NULL,
    sequence bigint NOT NULL,
    audit_event_id text NOT NULL,
    previous_hash text NOT NULL,
    hash text NOT NULL
);

CREATE TABLE public.audit_events (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    actor_type text NOT NULL,
    actor_id text NOT NULL,
    actor_name text NOT NULL,
    action text NOT NULL,
    resource_type text NOT NULL,
    resource_id text NOT NULL,
    details jsonb,
    ip_address text,
    user_agent text,
    request_id text,
    channel text NOT NULL,
    before jsonb,
    project_id text,
    environment_id text,
    content_hash text
);

CREATE TABLE public.audit_events_to_tell (
    id text NOT NULL,
    organization_id text NOT NULL
);

CREATE TABLE public.audit_heads (
    organization_id text NOT NULL,
    sequence bigint NOT NULL,
    previous_hash text NOT NULL,
    hash text NOT NULL,
    exported_sequence bigint DEFAULT 0 NOT NULL
);

CREATE TABLE public.backup_reports (
    id text NOT NULL,
    finished_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.certificates (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    cloud_account_id text NOT NULL,
    region text NOT NULL,
    arn text,
    names text[] NOT NULL,
    origin text NOT NULL,
    status text NOT NULL,
    expires_soon boolean DEFAULT false NOT NULL,
    issued_at timestamp(3) with time zone,
    expires_at timestamp(3) with time zone,
    in_use_by text[] DEFAULT '{}'::text[] NOT NULL,
    writes_records boolean NOT NULL,
    records jsonb DEFAULT '[]'::jsonb NOT NULL,
    error jsonb,
    problem text,
    looked_at timestamp(3) with time zone,
    requested_at timestamp(3) with time zone,
    idle_looks integer DEFAULT 0 NOT NULL,
    revision integer DEFAULT 0 NOT NULL,
    wake_at timestamp(3) with time zone,
    wake_seq integer DEFAULT 0 NOT NULL
);

CREATE TABLE public.changes (
    organization_id text NOT NULL,
    transaction_id bigint NOT NULL,
    resource text NOT NULL,
    record_id text NOT NULL,
    belongs_to jsonb NOT NULL,
    changed_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.cloud_accounts (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    given_id text NOT NULL,
    name text NOT NULL,
    status text NOT NULL,
    cloud_arn text,
    cloud_id text,
    cfn_stack_id text,
    role_version text,
    external_id text NOT NULL,
    event_secret_hash text,
    is_production boolean DEFAULT false NOT NULL
);

CREATE TABLE public.cloud_connections (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    cloud_account_id text NOT NULL,
    check_at timestamp(3) with time zone NOT NULL,
    checked_at timestamp(3) with time zone,
    refusals integer DEFAULT 0 NOT NULL,
    error jsonb,
    look_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.code_sources (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    type text NOT NULL,
    repo_url text NOT NULL,
    repo_name text NOT NULL,
    git_repository_id text,
    default_branch text,
    visibility text NOT NULL,
    access_lost boolean DEFAULT false NOT NULL,
    auth jsonb NOT NULL,
    webhook_secret_hash text,
    former_repo_urls text[] DEFAULT '{}'::text[] NOT NULL
);

CREATE TABLE public.default_value_definitions (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    key text NOT NULL,
    description text,
    schema jsonb NOT NULL,
    is_sensitive boolean DEFAULT false NOT NULL
);

CREATE TABLE public.default_values (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    default_value_definition_id text NOT NULL,
    parent_type text NOT NULL,
    parent_id text NOT NULL,
    held jsonb NOT NULL
);

CREATE TABLE public.deployment_approvals (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    project_id text NOT NULL,
    environment_id text NOT NULL,
    deployment_id text NOT NULL,
    verdict text NOT NULL,
    actor_type text NOT NULL,
    actor_id text NOT NULL,
    actor_name text NOT NULL,
    comment text,
    release_digest text NOT NULL,
    in_place_of jsonb
);

CREATE TABLE public.deployment_archives (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    project_id text NOT NULL,
    object_key text NOT NULL,
    sealed_key text NOT NULL,
    stored_at timestamp(3) with time zone
);

CREATE TABLE public.deployment_resources (
    deployment_id text NOT NULL,
    organization_id text NOT NULL,
    project_id text NOT NULL,
    environment_id text NOT NULL,
    observed_at timestamp(3) with time zone NOT NULL,
    resources jsonb NOT NULL,
    is_whole boolean NOT NULL,
    error jsonb
);

CREATE TABLE public.device_sign_ins (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    device_code_hash text NOT NULL,
    user_code_hash text NOT NULL,
    client_name text NOT NULL,
    ip_address text NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    asked_at timestamp(3) with time zone,
    decision text,
    membership_id text
);

CREATE TABLE public.domains (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    project_id text NOT NULL,
    environment_id text NOT NULL,
    name text NOT NULL,
    description text
);

CREATE TABLE public.encryption_keys (
    id text NOT NULL,
    fingerprint text NOT NULL
);

CREATE TABLE public.environment_networks (
    environment_id text NOT NULL,
    organization_id text NOT NULL,
    project_id text NOT NULL,
    cloud_account_id text NOT NULL,
    region text NOT NULL,
    network text NOT NULL,
    subnets jsonb NOT NULL,
    security_groups jsonb NOT NULL
);

CREATE TABLE public.environments (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    project_id text NOT NULL,
    given_id text NOT NULL,
    name text NOT NULL,
    description text,
    restricted boolean DEFAULT false NOT NULL,
    "position" integer,
    visibility text DEFAULT 'ORGANIZATION'::text NOT NULL,
    preview_environment_id text,
    CONSTRAINT environments_visibility CHECK ((visibility = ANY (ARRAY['ORGANIZATION'::text, 'MEMBERS'::text])))
);

CREATE TABLE public.event_queues (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    cloud_account_id text NOT NULL,
    queue_arn text NOT NULL,
    leased_by text,
    leased_until timestamp(3) with time zone,
    last_polled_at timestamp(3) with time zone,
    error jsonb
);

CREATE TABLE public.execution_assignments (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    parent_id text NOT NULL,
    project_id text,
    environment_id text,
    module_definition_id text,
    execution_environment_id text NOT NULL,
    CONSTRAINT execution_assignments_one_parent CHECK ((num_nonnulls(project_id, environment_id, module_definition_id) <= 1))
);

CREATE TABLE public.execution_environments (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    given_id text NOT NULL,
    name text NOT NULL,
    description text,
    cloud_account_id text,
    region text,
    network jsonb,
    kind text DEFAULT 'cloud'::text NOT NULL,
    size jsonb,
    cluster_name text,
    ready_at timestamp(3) with time zone,
    problem text,
    registered_task jsonb,
    CONSTRAINT execution_environments_pools_have_no_place CHECK (((kind = 'cloud'::text) OR ((cloud_account_id IS NULL) AND (region IS NULL))))
);

CREATE TABLE public.favourites (
    organization_id text NOT NULL,
    membership_id text NOT NULL,
    record_id text NOT NULL,
    "position" integer NOT NULL
);

CREATE TABLE public.freeze_overrides (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    freeze_id text NOT NULL,
    project_id text,
    environment_id text,
    module_instance_id text,
    reason text NOT NULL,
    until timestamp(3) with time zone NOT NULL,
    created_by text NOT NULL
);

CREATE TABLE public.freezes (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    project_id text,
    environment_id text,
    module_instance_id text,
    name text NOT NULL,
    reason text,
    "window" jsonb NOT NULL,
    stops jsonb NOT NULL,
    mode text NOT NULL,
    on_release text NOT NULL,
    afterwards text NOT NULL,
    created_by text NOT NULL
);

CREATE TABLE public.git_deliveries (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    sender text NOT NULL,
    delivery_id text NOT NULL,
    events jsonb NOT NULL,
    completed_at timestamp(3) with time zone,
    wake_at timestamp(3) with time zone,
    body_hash text
);

CREATE TABLE public.git_feedback (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    code_source_id text NOT NULL,
    pipeline_id text NOT NULL,
    pipeline_run_id text NOT NULL,
    branch text NOT NULL,
    commit text NOT NULL,
    told_status text,
    failures integer DEFAULT 0 NOT NULL,
    failure text,
    wake_at timestamp(3) with time zone,
    check_id text,
    check_attempted_at timestamp(3) with time zone,
    has_status boolean DEFAULT false NOT NULL
);

CREATE TABLE public.git_releases (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    environment_id text NOT NULL,
    code_source_id text,
    commit text,
    attempted_at timestamp(3) with time zone,
    host_id text,
    is_replaced boolean DEFAULT false NOT NULL,
    told_status text,
    failures integer DEFAULT 0 NOT NULL,
    failure text,
    wake_at timestamp(3) with time zone,
    claimed_until timestamp(3) with time zone
);

CREATE TABLE public.githosta_installations (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    githosta_installation_id text NOT NULL,
    account_name text NOT NULL,
    claimed_by_id text NOT NULL,
    access_lost boolean DEFAULT false NOT NULL
);

CREATE TABLE public.githostb_connections (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    instance_id text,
    base_url text NOT NULL,
    host_user_id text NOT NULL,
    user_name text NOT NULL,
    connected_by_id text NOT NULL,
    sealed_tokens text NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    token_version integer DEFAULT 0 NOT NULL,
    renewing_until timestamp(3) with time zone,
    access_lost boolean DEFAULT false NOT NULL
);

CREATE TABLE public.githostb_instances (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    base_url text NOT NULL,
    client_id text NOT NULL,
    sealed_client_secret text NOT NULL
);

CREATE TABLE public.hold_rules (
    environment_id text NOT NULL,
    organization_id text NOT NULL,
    project_id text NOT NULL,
    after_rollback boolean NOT NULL,
    mode text DEFAULT 'ENFORCE'::text NOT NULL
);

CREATE TABLE public.holds (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    project_id text NOT NULL,
    environment_id text NOT NULL,
    module_instance_id text,
    reason text NOT NULL,
    origin text NOT NULL,
    deployment_id text,
    held_by text NOT NULL,
    released_at timestamp(3) with time zone,
    released_by text,
    release_reason text
);

CREATE TABLE public.iac_plans (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    stack_id text NOT NULL,
    workspace_id text,
    pipeline_run_id text NOT NULL,
    step_execution_id text NOT NULL,
    kind text NOT NULL,
    status text NOT NULL,
    has_changes boolean NOT NULL,
    summary jsonb NOT NULL,
    tool text NOT NULL,
    tool_version text NOT NULL,
    source jsonb NOT NULL,
    lineage text,
    serial bigint,
    config_digest text NOT NULL,
    inputs_digest text NOT NULL,
    sealed text,
    applied_by_step_execution_id text,
    applied_at timestamp(3) with time zone,
    policies jsonb,
    review jsonb
);

CREATE TABLE public.iac_state_versions (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    workspace_id text NOT NULL,
    sequence integer NOT NULL,
    serial bigint NOT NULL,
    lineage text NOT NULL,
    sealed text NOT NULL,
    digest text NOT NULL,
    size_bytes integer NOT NULL,
    resource_count integer NOT NULL,
    step_execution_id text,
    created_by text NOT NULL
);

CREATE TABLE public.idempotent_answers (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    actor_id text NOT NULL,
    operation_id text NOT NULL,
    key text NOT NULL,
    request_hash text NOT NULL,
    status integer,
    body text
);

CREATE TABLE public.identities (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    user_id text NOT NULL,
    type text NOT NULL,
    password_hash text,
    provider_id text,
    issuer text,
    subject text,
    CONSTRAINT identities_are_whole CHECK (
CASE type
    WHEN 'EMAIL_PASSWORD'::text THEN (password_hash IS NOT NULL)
    ELSE ((issuer IS NOT NULL) AND (subject IS NOT NULL))
END)
);

CREATE TABLE public.identity_providers (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    name text NOT NULL,
    issuer text NOT NULL,
    client_id text NOT NULL,
    sealed_client_secret text NOT NULL,
    groups_claim text NOT NULL,
    group_roles jsonb NOT NULL,
    default_role text,
    group_teams jsonb DEFAULT '[]'::jsonb NOT NULL
);

CREATE TABLE public.inboxes (
    membership_id text NOT NULL,
    organization_id text NOT NULL,
    seen_until timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.infrastructure_events (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    cloud_account_id text NOT NULL,
    external_event_id text NOT NULL,
    source text NOT NULL,
    detail_type text NOT NULL,
    resource_arn text,
    occurred_at timestamp(3) with time zone NOT NULL,
    event jsonb NOT NULL,
    wake_at timestamp(3) with time zone
);

CREATE TABLE public.invitations (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    email text NOT NULL,
    role text NOT NULL,
    token_hash text NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    accepted_at timestamp(3) with time zone,
    invited_by_id text NOT NULL
);

CREATE TABLE public.memberships (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    user_id text NOT NULL,
    role text NOT NULL
);

CREATE TABLE public.module_definitions (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    name text NOT NULL,
    type text NOT NULL,
    description text NOT NULL,
    status text DEFAULT 'DRAFT'::text NOT NULL,
    is_global_published boolean DEFAULT false NOT NULL,
    latest_version text,
    latest_version_id text
);

CREATE TABLE public.module_instance_applies (
    organization_id text NOT NULL,
    module_instance_id text NOT NULL,
    waits_for jsonb NOT NULL,
    is_auto_approved boolean NOT NULL,
    trigger_source text NOT NULL,
    triggered_by text NOT NULL,
    author jsonb NOT NULL
);

CREATE TABLE public.module_instance_references (
    organization_id text NOT NULL,
    module_instance_id text NOT NULL,
    input_path text NOT NULL,
    referred_id text NOT NULL
);

CREATE TABLE public.module_instances (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    project_id text NOT NULL,
    environment_id text NOT NULL,
    module_definition_id text NOT NULL,
    module_version_id text NOT NULL,
    given_id text NOT NULL,
    name text NOT NULL,
    description text,
    type text NOT NULL,
    status text DEFAULT 'PENDING'::text NOT NULL,
    input jsonb NOT NULL,
    error jsonb,
    stack_id text,
    applied_version_id text,
    applied_input jsonb,
    applied_at timestamp(3) with time zone,
    latest_run_id text,
    resource_arn text
);

CREATE TABLE public.module_versions (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    module_definition_id text NOT NULL,
    version text NOT NULL,
    description text NOT NULL,
    config jsonb NOT NULL
);

CREATE TABLE public.notification_channels (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    project_id text,
    kind text NOT NULL,
    name text NOT NULL,
    url text,
    events jsonb NOT NULL,
    environment_ids jsonb NOT NULL,
    enabled boolean NOT NULL,
    told_since timestamp(3) with time zone NOT NULL,
    disabled_reason text,
    failing_since timestamp(3) with time zone,
    sealed_secret text,
    sealed_former_secret text,
    former_secret_until timestamp(3) with time zone,
    wake_at timestamp(3) with time zone,
    created_by text NOT NULL,
    recipients jsonb DEFAULT '[]'::jsonb NOT NULL,
    minimum_severity text DEFAULT 'INFO'::text NOT NULL,
    broken_since timestamp(3) with time zone,
    format text DEFAULT 'STANDARD'::text NOT NULL,
    quiet_hours jsonb DEFAULT '[]'::jsonb NOT NULL,
    digest text DEFAULT 'NONE'::text NOT NULL,
    time_zone text DEFAULT 'UTC'::text NOT NULL,
    membership_id text,
    topics jsonb DEFAULT '[]'::jsonb NOT NULL,
    project_ids jsonb DEFAULT '[]'::jsonb NOT NULL,
    team_id text,
    sealed_signing_secret text
);

CREATE TABLE public.notification_deliveries (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    channel_id text NOT NULL,
    sequence bigint NOT NULL,
    event_id text NOT NULL,
    record_id text NOT NULL,
    payload jsonb NOT NULL,
    status text NOT NULL,
    attempts jsonb DEFAULT '[]'::jsonb NOT NULL,
    next_attempt_at timestamp(3) with time zone,
    resend_of text,
    is_held_back boolean DEFAULT false NOT NULL,
    digest_id text
);

ALTER TABLE public.notification_deliveries ALTER COLUMN sequence ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.notification_deliveries_sequence_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.notification_events (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    number bigint NOT NULL,
    event_id text NOT NULL,
    record_id text NOT NULL,
    project_id text,
    environment_id text,
    type text NOT NULL,
    payload jsonb NOT NULL
);

ALTER TABLE public.notification_events ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.notification_events_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.notification_positions (
    organization_id text NOT NULL,
    transaction_id bigint NOT NULL,
    read_at timestamp(3) with time zone NOT NULL,
    remind_at timestamp(3) with time zone DEFAULT now(),
    is_asked_for boolean DEFAULT false NOT NULL,
    forgotten_number bigint DEFAULT 0 NOT NULL
);

CREATE TABLE public.organizations (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    name text NOT NULL,
    given_id text NOT NULL,
    audit_retention_days integer,
    deletion jsonb,
    ends_at timestamp(3) with time zone
);

CREATE TABLE public.pipeline_run_numbers (
    pipeline_id text NOT NULL,
    organization_id text NOT NULL,
    latest integer NOT NULL
);

CREATE TABLE public.pipeline_schedules (
    organization_id text NOT NULL,
    pipeline_id text NOT NULL,
    "position" integer NOT NULL,
    cron text NOT NULL,
    time_zone text NOT NULL,
    next_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.pipeline_step_executions (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    pipeline_run_id text NOT NULL,
    step_id text NOT NULL,
    step_name text NOT NULL,
    step_type text NOT NULL,
    status text NOT NULL,
    queue_reason text NOT NULL,
    queue_metadata jsonb NOT NULL,
    attempt_epoch integer DEFAULT 0 NOT NULL,
    retry_attempt integer DEFAULT 0 NOT NULL,
    is_last_retry boolean DEFAULT true NOT NULL,
    engine_workflow_id text NOT NULL,
    engine_run_id text DEFAULT ''::text NOT NULL,
    started_at timestamp(3) with time zone,
    completed_at timestamp(3) with time zone,
    error jsonb,
    input_data jsonb,
    output_data jsonb,
    status_detail jsonb,
    module_instance_id text,
    logs jsonb,
    decision jsonb,
    "position" integer DEFAULT 0 NOT NULL,
    approval jsonb,
    progress jsonb DEFAULT '{}'::jsonb NOT NULL,
    stack_id text,
    runner_id text,
    lease_until timestamp(3) with time zone,
    cancel_requested_at timestamp(3) with time zone,
    revision integer DEFAULT 0 NOT NULL,
    wake_at timestamp(3) with time zone,
    wake_seq integer DEFAULT 0 NOT NULL,
    deadline_at timestamp(3) with time zone,
    waiting_for text,
    execution_environment_id text
);

CREATE TABLE public.pipeline_versions (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    pipeline_id text NOT NULL,
    version integer NOT NULL,
    config jsonb NOT NULL,
    created_by_id text,
    policies jsonb,
    approvals jsonb
);

CREATE TABLE public.pipelines (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    project_id text NOT NULL,
    given_id text NOT NULL,
    name text NOT NULL,
    description text,
    latest_version integer DEFAULT 0 NOT NULL
);

CREATE TABLE public.policies (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    project_id text,
    environment_id text,
    module_instance_id text,
    guards text NOT NULL,
    version integer NOT NULL,
    name text NOT NULL,
    description text,
    expression text NOT NULL,
    message text NOT NULL,
    effect text NOT NULL,
    is_enabled boolean NOT NULL,
    rollbacks boolean NOT NULL,
    tests jsonb NOT NULL,
    created_by text NOT NULL,
    approval jsonb
);

CREATE TABLE public.policy_overrides (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    policy_id text NOT NULL,
    project_id text,
    environment_id text,
    module_instance_id text,
    reason text NOT NULL,
    until timestamp(3) with time zone NOT NULL,
    created_by text NOT NULL,
    pipeline_id text
);

CREATE TABLE public.policy_versions (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    policy_id text NOT NULL,
    project_id text,
    environment_id text,
    module_instance_id text,
    version integer NOT NULL,
    rules jsonb NOT NULL,
    created_by text NOT NULL
);

CREATE TABLE public.preview_environments (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    project_id text NOT NULL,
    preview_template_id text NOT NULL,
    code_source_id text NOT NULL,
    given_id text NOT NULL,
    environment_id text,
    number integer NOT NULL,
    branch text NOT NULL,
    commit text NOT NULL,
    asked_by text NOT NULL,
    is_from_fork boolean NOT NULL,
    status text NOT NULL,
    message text,
    ended_because text,
    expires_at timestamp(3) with time zone NOT NULL,
    begun_commit text,
    pipeline_run_id text,
    asked_to_go jsonb DEFAULT '[]'::jsonb NOT NULL,
    failed_teardowns integer DEFAULT 0 NOT NULL,
    teardown_failed_at timestamp(3) with time zone,
    retry_at timestamp(3) with time zone,
    up_since timestamp(3) with time zone,
    earlier_up_ms bigint DEFAULT 0 NOT NULL,
    told text,
    tell_failures integer DEFAULT 0 NOT NULL,
    tell_at timestamp(3) with time zone,
    wake_at timestamp(3) with time zone
);

CREATE TABLE public.preview_templates (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    project_id text NOT NULL,
    environment_id text NOT NULL,
    code_source_id text NOT NULL,
    branches jsonb,
    paths jsonb,
    instances jsonb,
    inputs jsonb NOT NULL,
    pipeline_id text,
    pipeline_inputs jsonb NOT NULL,
    name_pattern text NOT NULL,
    lifetime_hours integer NOT NULL,
    most_in_project integer NOT NULL,
    allows_forks boolean NOT NULL,
    written_by text NOT NULL,
    written_by_id text NOT NULL
);

CREATE TABLE public.price_lists (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    currency text NOT NULL,
    prices jsonb NOT NULL
);

CREATE TABLE public.projects (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    given_id text NOT NULL,
    name text NOT NULL,
    description text,
    restricted boolean DEFAULT false NOT NULL,
    visibility text DEFAULT 'ORGANIZATION'::text NOT NULL,
    CONSTRAINT projects_visibility CHECK ((visibility = ANY (ARRAY['ORGANIZATION'::text, 'MEMBERS'::text])))
);

CREATE TABLE public.promotion_rules (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    project_id text NOT NULL,
    from_environment_id text NOT NULL,
    environment_id text NOT NULL,
    reason text,
    soak_minutes integer NOT NULL,
    start text NOT NULL,
    mode text NOT NULL,
    written_by text NOT NULL,
    written_by_id text NOT NULL,
    look_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.promotions (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    project_id text NOT NULL,
    from_environment_id text NOT NULL,
    environment_id text NOT NULL,
    promotion_rule_id text NOT NULL,
    source_deployment_id text NOT NULL,
    module_instance_id text NOT NULL,
    status text NOT NULL,
    healthy_since timestamp(3) with time zone,
    obstacle text,
    message text,
    deployment_id text
);

CREATE TABLE public.records_in_files (
    project_id text NOT NULL,
    organization_id text NOT NULL,
    record_id text NOT NULL,
    names text[] NOT NULL,
    environment_ids text[] NOT NULL
);

CREATE TABLE public.rehearsals (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    project_id text NOT NULL,
    environment_id text NOT NULL,
    module_instance_id text NOT NULL,
    status text NOT NULL,
    triggered_by text NOT NULL,
    scenario_names text[] NOT NULL,
    scenarios jsonb NOT NULL,
    assumptions text[] NOT NULL,
    error jsonb,
    completed_at timestamp(3) with time zone,
    release jsonb,
    attempts integer DEFAULT 0 NOT NULL,
    leased_until timestamp(3) with time zone,
    wake_at timestamp(3) with time zone,
    release_hash text,
    step_execution_id text,
    rollback_to_deployment_id text,
    composed_scenarios jsonb DEFAULT '[]'::jsonb NOT NULL
);

CREATE TABLE public.role_grants (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    membership_id text,
    service_account_id text,
    team_id text,
    project_id text NOT NULL,
    environment_id text,
    role text NOT NULL,
    CONSTRAINT role_grants_one_principal CHECK ((num_nonnulls(membership_id, service_account_id, team_id) = 1))
);

CREATE TABLE public.row_counts (
    id text NOT NULL,
    organization_id text NOT NULL,
    table_name text NOT NULL,
    row_count bigint NOT NULL
);

CREATE TABLE public.runner_tasks (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    execution_environment_id text NOT NULL,
    step_execution_id text NOT NULL,
    attempt_epoch integer NOT NULL,
    status text NOT NULL,
    token_hash text NOT NULL,
    redeemed_by_hash text,
    claimed_at timestamp(3) with time zone,
    place jsonb,
    task_arn text,
    over_at timestamp(3) with time zone,
    stop_requested_at timestamp(3) with time zone,
    trouble text,
    idle_looks integer DEFAULT 0 NOT NULL,
    deadline_at timestamp(3) with time zone NOT NULL,
    revision integer DEFAULT 0 NOT NULL,
    wake_at timestamp(3) with time zone,
    wake_seq integer DEFAULT 0 NOT NULL,
    CONSTRAINT runner_tasks_wake_until_they_end CHECK (((status = 'ENDED'::text) = (wake_at IS NULL)))
);

CREATE TABLE public.runner_tokens (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    execution_environment_id text NOT NULL,
    name text NOT NULL,
    token_hash text NOT NULL,
    token_hint text NOT NULL,
    last_used_at timestamp(3) with time zone
);

CREATE TABLE public.runner_tools (
    pool text NOT NULL,
    runner_id text NOT NULL,
    execution_environment_id text,
    versions jsonb NOT NULL,
    told_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.runners (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    execution_environment_id text NOT NULL,
    runner_id text NOT NULL,
    runner_token_id text NOT NULL,
    machine text NOT NULL,
    version text NOT NULL,
    isolation text NOT NULL,
    labels jsonb NOT NULL,
    capacity integer NOT NULL,
    last_seen_at timestamp(3) with time zone NOT NULL,
    is_draining boolean DEFAULT false NOT NULL
);

CREATE TABLE public.saved_views (
    organization_id text NOT NULL,
    membership_id text NOT NULL,
    page text NOT NULL,
    name text NOT NULL,
    search text NOT NULL,
    is_shared boolean NOT NULL,
    "position" integer NOT NULL
);

CREATE TABLE public.search_words (
    organization_id text NOT NULL,
    resource text NOT NULL,
    word text NOT NULL,
    record_id text NOT NULL
);

CREATE TABLE public.service_account_trusts (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    service_account_id text NOT NULL,
    name text NOT NULL,
    issuer text NOT NULL,
    audience text NOT NULL,
    subject text NOT NULL,
    claims jsonb NOT NULL,
    token_lifetime_seconds integer NOT NULL
);

CREATE TABLE public.service_accounts (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    name text NOT NULL,
    role text NOT NULL
);

CREATE TABLE public.sessions (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    membership_id text NOT NULL,
    identity_id text NOT NULL,
    token_hash text NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    last_used_at timestamp(3) with time zone,
    user_agent text,
    ip_address text,
    provider_session_id text
);

CREATE TABLE public.sign_in_domains (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    domain text NOT NULL,
    challenge text NOT NULL,
    verified_at timestamp(3) with time zone
);

CREATE TABLE public.sign_in_policies (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    break_glass_membership_id text NOT NULL
);

CREATE TABLE public.slack_accounts (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    membership_id text NOT NULL,
    slack_team text NOT NULL,
    slack_team_name text,
    slack_user text NOT NULL,
    slack_user_name text
);

CREATE TABLE public.slack_presses (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    channel_id text NOT NULL,
    request_hash text NOT NULL,
    sealed_response_url text,
    reply jsonb,
    wake_at timestamp(3) with time zone
);

CREATE TABLE public.spent_git_states (
    id text NOT NULL,
    organization_id text NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.spent_tokens (
    id text NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.stack_drifts (
    stack_id text NOT NULL,
    organization_id text NOT NULL,
    cron text,
    time_zone text,
    next_at timestamp(3) with time zone,
    reconciles boolean DEFAULT false NOT NULL,
    pipeline_id text,
    status text,
    run_id text,
    looked_at timestamp(3) with time zone,
    error jsonb,
    drifted_since timestamp(3) with time zone,
    reconciling_run_id text
);

CREATE TABLE public.stack_workspaces (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    stack_id text NOT NULL,
    name text NOT NULL,
    latest_state_sequence integer DEFAULT 0 NOT NULL,
    lock jsonb
);

CREATE TABLE public.stacks (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    project_id text NOT NULL,
    given_id text NOT NULL,
    name text NOT NULL,
    description text,
    outputs jsonb,
    sealed_outputs text,
    last_applied_at timestamp(3) with time zone,
    last_applied_run_id text
);

CREATE TABLE public.step_approvals (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    pipeline_run_id text NOT NULL,
    step_execution_id text NOT NULL,
    actor_type text NOT NULL,
    actor_id text NOT NULL,
    actor_name text NOT NULL,
    comment text,
    plans text NOT NULL,
    in_place_of jsonb
);

CREATE TABLE public.step_artifact_pieces (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    step_artifact_id text NOT NULL,
    "position" integer NOT NULL,
    sealed text NOT NULL
);

CREATE TABLE public.step_artifacts (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    pipeline_run_id text NOT NULL,
    step_execution_id text NOT NULL,
    name text NOT NULL,
    piece_count integer DEFAULT 0 NOT NULL,
    file_count integer DEFAULT 0 NOT NULL,
    size_bytes integer DEFAULT 0 NOT NULL,
    sha256 text DEFAULT ''::text NOT NULL,
    stored_at timestamp(3) with time zone
);

CREATE TABLE public.step_log_chunks (
    organization_id text NOT NULL,
    step_execution_id text NOT NULL,
    sequence integer NOT NULL,
    attempt_epoch integer NOT NULL,
    written_at timestamp(3) with time zone NOT NULL,
    text text NOT NULL,
    offsets jsonb DEFAULT '{}'::jsonb NOT NULL
);

CREATE TABLE public.team_members (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    team_id text NOT NULL,
    membership_id text,
    service_account_id text,
    source text DEFAULT 'HAND'::text NOT NULL,
    provider_id text,
    CONSTRAINT team_members_of_groups CHECK (
CASE source
    WHEN 'GROUP'::text THEN (membership_id IS NOT NULL)
    ELSE (provider_id IS NULL)
END),
    CONSTRAINT team_members_one CHECK ((num_nonnulls(membership_id, service_account_id) = 1))
);

CREATE TABLE public.teams (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    name text NOT NULL
);

CREATE TABLE public.users (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    email text NOT NULL,
    full_name text,
    short_name text,
    global_role text DEFAULT 'USER'::text NOT NULL
);

CREATE TABLE public.watched_pull_requests (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    project_id text NOT NULL,
    watched_repository_id text NOT NULL,
    number integer NOT NULL,
    commit text NOT NULL,
    told text,
    revision integer DEFAULT 0 NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    due_at timestamp(3) with time zone,
    wake_at timestamp(3) with time zone
);

CREATE TABLE public.watched_repositories (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    project_id text NOT NULL,
    code_source_id text NOT NULL,
    branch text NOT NULL,
    path text NOT NULL,
    service_account_id text,
    apply text NOT NULL,
    prune boolean NOT NULL,
    run_stacks boolean NOT NULL,
    comments boolean NOT NULL,
    status text NOT NULL,
    message text,
    commit text,
    planned_at timestamp(3) with time zone,
    applied_commit text,
    applied_at timestamp(3) with time zone,
    plan jsonb NOT NULL,
    plan_digest text,
    change_count integer DEFAULT 0 NOT NULL,
    fault_count integer DEFAULT 0 NOT NULL,
    approved_digest text,
    approved_by text,
    revision integer DEFAULT 0 NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    due_at timestamp(3) with time zone,
    wake_at timestamp(3) with time zone
);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_token_hash_unique UNIQUE (token_hash);

ALTER TABLE ONLY public.applied_files
    ADD CONSTRAINT applied_files_pkey PRIMARY KEY (project_id);

ALTER TABLE ONLY public.approval_delegations
    ADD CONSTRAINT approval_delegations_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.approval_rules
    ADD CONSTRAINT approval_rules_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.archive_removals
    ADD CONSTRAINT archive_removals_pkey PRIMARY KEY (object_key);

ALTER TABLE ONLY public.archived_step_logs
    ADD CONSTRAINT archived_step_logs_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.artifact_retentions
    ADD CONSTRAINT artifact_retentions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.artifacts
    ADD CONSTRAINT artifacts_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.audit_chain
    ADD CONSTRAINT audit_chain_organization_id_sequence_pk PRIMARY KEY (organization_id, sequence);

ALTER TABLE ONLY public.audit_events
    ADD CONSTRAINT audit_events_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.audit_events_to_tell
    ADD CONSTRAINT audit_events_to_tell_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.audit_heads
    ADD CONSTRAINT audit_heads_pkey PRIMARY KEY (organization_id);

ALTER TABLE ONLY public.backup_reports
    ADD CONSTRAINT backup_reports_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.certificates
    ADD CONSTRAINT certificates_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.changes
    ADD CONSTRAINT changes_record_id_transaction_id_pk PRIMARY KEY (record_id, transaction_id);

ALTER TABLE ONLY public.cloud_accounts
    ADD CONSTRAINT cloud_accounts_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.cloud_connections
    ADD CONSTRAINT cloud_connections_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.code_sources
    ADD CONSTRAINT code_sources_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.default_value_definitions
    ADD CONSTRAINT default_value_definitions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.default_values
    ADD CONSTRAINT default_values_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.deployment_approvals
    ADD CONSTRAINT deployment_approvals_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.deployment_archives
    ADD CONSTRAINT deployment_archives_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.deployment_resources
    ADD CONSTRAINT deployment_resources_pkey PRIMARY KEY (deployment_id);

ALTER TABLE ONLY public.deployments
    ADD CONSTRAINT deployments_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.device_sign_ins
    ADD CONSTRAINT device_sign_ins_device_code_hash_unique UNIQUE (device_code_hash);

ALTER TABLE ONLY public.device_sign_ins
    ADD CONSTRAINT device_sign_ins_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.device_sign_ins
    ADD CONSTRAINT device_sign_ins_user_code_hash_unique UNIQUE (user_code_hash);

ALTER TABLE ONLY public.domains
    ADD CONSTRAINT domains_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.encryption_keys
    ADD CONSTRAINT encryption_keys_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.environment_networks
    ADD CONSTRAINT environment_networks_pkey PRIMARY KEY (environment_id);

ALTER TABLE ONLY public.environments
    ADD CONSTRAINT environments_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.event_queues
    ADD CONSTRAINT event_queues_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.execution_assignments
    ADD CONSTRAINT execution_assignments_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.execution_environments
    ADD CONSTRAINT execution_environments_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.favourites
    ADD CONSTRAINT favourites_membership_id_record_id_pk PRIMARY KEY (membership_id, record_id);

ALTER TABLE ONLY public.freeze_overrides
    ADD CONSTRAINT freeze_overrides_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.freezes
    ADD CONSTRAINT freezes_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.git_deliveries
    ADD CONSTRAINT git_deliveries_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.git_feedback
    ADD CONSTRAINT git_feedback_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.git_releases
    ADD CONSTRAINT git_releases_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.githosta_installations
    ADD CONSTRAINT githosta_installations_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.githostb_connections
    ADD CONSTRAINT githostb_connections_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.githostb_instances
    ADD CONSTRAINT githostb_instances_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.hold_rules
    ADD CONSTRAINT hold_rules_pkey PRIMARY KEY (environment_id);

ALTER TABLE ONLY public.holds
    ADD CONSTRAINT holds_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.iac_plans
    ADD CONSTRAINT iac_plans_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.iac_resources
    ADD CONSTRAINT iac_resources_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.iac_state_versions
    ADD CONSTRAINT iac_state_versions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.idempotent_answers
    ADD CONSTRAINT idempotent_answers_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.identities
    ADD CONSTRAINT identities_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.identity_providers
    ADD CONSTRAINT identity_providers_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.inboxes
    ADD CONSTRAINT inboxes_pkey PRIMARY KEY (membership_id);

ALTER TABLE ONLY public.infrastructure_events
    ADD CONSTRAINT infrastructure_events_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_token_hash_unique UNIQUE (token_hash);

ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.module_definitions
    ADD CONSTRAINT module_definitions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.module_instance_applies
    ADD CONSTRAINT module_instance_applies_pkey PRIMARY KEY (module_instance_id);

ALTER TABLE ONLY public.module_instance_references
    ADD CONSTRAINT module_instance_references_module_instance_id_input_path_pk PRIMARY KEY (module_instance_id, input_path);

ALTER TABLE ONLY public.module_instances
    ADD CONSTRAINT module_instances_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.module_versions
    ADD CONSTRAINT module_versions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.notification_channels
    ADD CONSTRAINT notification_channels_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.notification_deliveries
    ADD CONSTRAINT notification_deliveries_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.notification_events
    ADD CONSTRAINT notification_events_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.notification_positions
    ADD CONSTRAINT notification_positions_pkey PRIMARY KEY (organization_id);

ALTER TABLE ONLY public.organizations
    ADD CONSTRAINT organizations_given_id_unique UNIQUE (given_id);

ALTER TABLE ONLY public.organizations
    ADD CONSTRAINT organizations_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.pipeline_run_numbers
    ADD CONSTRAINT pipeline_run_numbers_pkey PRIMARY KEY (pipeline_id);

ALTER TABLE ONLY public.pipeline_runs
    ADD CONSTRAINT pipeline_runs_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.pipeline_schedules
    ADD CONSTRAINT pipeline_schedules_pipeline_id_position_pk PRIMARY KEY (pipeline_id, "position");

ALTER TABLE ONLY public.pipeline_step_executions
    ADD CONSTRAINT pipeline_step_executions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.pipeline_versions
    ADD CONSTRAINT pipeline_versions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.pipelines
    ADD CONSTRAINT pipelines_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.policies
    ADD CONSTRAINT policies_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.policy_overrides
    ADD CONSTRAINT policy_overrides_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.policy_versions
    ADD CONSTRAINT policy_versions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.preview_environments
    ADD CONSTRAINT preview_environments_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.preview_templates
    ADD CONSTRAINT preview_templates_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.price_lists
    ADD CONSTRAINT price_lists_organization_id_unique UNIQUE (organization_id);

ALTER TABLE ONLY public.price_lists
    ADD CONSTRAINT price_lists_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.projects
    ADD CONSTRAINT projects_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.promotion_rules
    ADD CONSTRAINT promotion_rules_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.promotions
    ADD CONSTRAINT promotions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.records_in_files
    ADD CONSTRAINT records_in_files_project_id_record_id_pk PRIMARY KEY (project_id, record_id);

ALTER TABLE ONLY public.rehearsals
    ADD CONSTRAINT rehearsals_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.role_grants
    ADD CONSTRAINT role_grants_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.row_counts
    ADD CONSTRAINT row_counts_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.runner_tasks
    ADD CONSTRAINT runner_tasks_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.runner_tasks
    ADD CONSTRAINT runner_tasks_token_hash_unique UNIQUE (token_hash);

ALTER TABLE ONLY public.runner_tokens
    ADD CONSTRAINT runner_tokens_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.runner_tokens
    ADD CONSTRAINT runner_tokens_token_hash_unique UNIQUE (token_hash);

ALTER TABLE ONLY public.runner_tools
    ADD CONSTRAINT runner_tools_pool_runner_id_pk PRIMARY KEY (pool, runner_id);

ALTER TABLE ONLY public.runners
    ADD CONSTRAINT runners_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.saved_views
    ADD CONSTRAINT saved_views_membership_id_page_name_pk PRIMARY KEY (membership_id, page, name);

ALTER TABLE ONLY public.search_words
    ADD CONSTRAINT search_words_record_id_word_pk PRIMARY KEY (record_id, word);

ALTER TABLE ONLY public.service_account_trusts
    ADD CONSTRAINT service_account_trusts_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.service_accounts
    ADD CONSTRAINT service_accounts_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_token_hash_unique UNIQUE (token_hash);

ALTER TABLE ONLY public.sign_in_domains
    ADD CONSTRAINT sign_in_domains_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.sign_in_policies
    ADD CONSTRAINT sign_in_policies_organization_id_unique UNIQUE (organization_id);

ALTER TABLE ONLY public.sign_in_policies
    ADD CONSTRAINT sign_in_policies_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.slack_accounts
    ADD CONSTRAINT slack_accounts_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.slack_presses
    ADD CONSTRAINT slack_presses_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.spent_git_states
    ADD CONSTRAINT spent_git_states_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.spent_tokens
    ADD CONSTRAINT spent_tokens_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.stack_drifts
    ADD CONSTRAINT stack_drifts_pkey PRIMARY KEY (stack_id);

ALTER TABLE ONLY public.stack_workspaces
    ADD CONSTRAINT stack_workspaces_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.stacks
    ADD CONSTRAINT stacks_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.step_approvals
    ADD CONSTRAINT step_approvals_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.step_artifact_pieces
    ADD CONSTRAINT step_artifact_pieces_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.step_artifacts
    ADD CONSTRAINT step_artifacts_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.step_log_chunks
    ADD CONSTRAINT step_log_chunks_step_execution_id_sequence_pk PRIMARY KEY (step_execution_id, sequence);

ALTER TABLE ONLY public.team_members
    ADD CONSTRAINT team_members_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.teams
    ADD CONSTRAINT teams_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_email_unique UNIQUE (email);

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.watched_pull_requests
    ADD CONSTRAINT watched_pull_requests_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.watched_repositories
    ADD CONSTRAINT watched_repositories_pkey PRIMARY KEY (id);

CREATE INDEX api_keys_organization ON public.api_keys USING btree (organization_id);

CREATE INDEX api_keys_trust ON public.api_keys USING btree (trust_id);

CREATE INDEX applied_files_organization ON public.applied_files USING btree (organization_id);

CREATE INDEX approval_delegations_delegate ON public.approval_delegations USING btree (delegate_id);

CREATE INDEX approval_delegations_membership ON public.approval_delegations USING btree (membership_id);

CREATE INDEX approval_delegations_organization ON public.approval_delegations USING btree (organization_id, id);

CREATE INDEX approval_rules_organization ON public.approval_rules USING btree (organization_id, id);

CREATE INDEX archive_removals_due ON public.archive_removals USING btree (due_at);

CREATE UNIQUE INDEX archived_step_logs_first ON public.archived_step_logs USING btree (step_execution_id, first_sequence);

CREATE INDEX archived_step_logs_organization ON public.archived_step_logs USING btree (organization_id, id);

CREATE UNIQUE INDEX artifact_retentions_organization ON public.artifact_retentions USING btree (organization_id);

CREATE INDEX artifact_retentions_wake ON public.artifact_retentions USING btree (wake_at) WHERE (wake_at IS NOT NULL);

CREATE INDEX artifacts_instance ON public.artifacts USING btree (module_instance_id, id);

CREATE INDEX artifacts_key ON public.artifacts USING btree (organization_id, key);

CREATE INDEX artifacts_mark ON public.artifacts USING btree (organization_id, public.mark_of(kind, key, digest));

CREATE UNIQUE INDEX artifacts_once ON public.artifacts USING btree (organization_id, content_key, digest) WHERE (removed_at IS NULL);

CREATE INDEX artifacts_organization ON public.artifacts USING btree (organization_id, id);

CREATE INDEX artifacts_place ON public.artifacts USING btree (bucket, key);

CREATE INDEX artifacts_removal ON public.artifacts USING btree (organization_id, removal_try_at) WHERE (removal_try_at IS NOT NULL);

CREATE INDEX artifacts_run ON public.artifacts USING btree (pipeline_run_id);

CREATE UNIQUE INDEX audit_chain_event ON public.audit_chain USING btree (audit_event_id);

CREATE INDEX audit_events_action ON public.audit_events USING btree (organization_id, action, id);

CREATE INDEX audit_events_actor ON public.audit_events USING btree (organization_id, actor_id, id);

CREATE INDEX audit_events_actor_name ON public.audit_events USING btree (organization_id, actor_name text_pattern_ops, id);

CREATE INDEX audit_events_created ON public.audit_events USING btree (organization_id, created_at);

CREATE INDEX audit_events_organization ON public.audit_events USING btree (organization_id, id);

CREATE INDEX audit_events_project ON public.audit_events USING btree (organization_id, project_id, id) WHERE (project_id IS NOT NULL);

CREATE INDEX audit_events_resource ON public.audit_events USING btree (organization_id, resource_id, id);

CREATE INDEX audit_events_to_tell_organization ON public.audit_events_to_tell USING btree (organization_id, id);

CREATE INDEX certificates_account ON public.certificates USING btree (cloud_account_id);

CREATE UNIQUE INDEX certificates_arn ON public.certificates USING btree (organization_id, arn);

CREATE INDEX certificates_names ON public.certificates USING gin (names);

CREATE INDEX certificates_wake ON public.certificates USING btree (wake_at) WHERE (wake_at IS NOT NULL);

CREATE INDEX changes_transaction ON public.changes USING btree (transaction_id);

CREATE UNIQUE INDEX cloud_accounts_cloud_arn ON public.cloud_accounts USING btree (cloud_arn);

CREATE INDEX cloud_accounts_organization_cloud_id ON public.cloud_accounts USING btree (organization_id, cloud_id);

CREATE UNIQUE INDEX cloud_accounts_organization_given_id ON public.cloud_accounts USING btree (organization_id, given_id);

CREATE UNIQUE INDEX cloud_connections_account ON public.cloud_connections USING btree (cloud_account_id);

CREATE INDEX cloud_connections_check ON public.cloud_connections USING btree (check_at);

CREATE INDEX cloud_connections_look ON public.cloud_connections USING btree (look_at);

CREATE INDEX cloud_connections_organization ON public.cloud_connections USING btree (organization_id);

CREATE INDEX code_sources_git_repository ON public.code_sources USING btree (git_repository_id);

CREATE UNIQUE INDEX code_sources_organization_repo_url ON public.code_sources USING btree (organization_id, repo_url);

CREATE UNIQUE INDEX default_value_definitions_organization_key ON public.default_value_definitions USING btree (organization_id, key);

CREATE UNIQUE INDEX default_values_once ON public.default_values USING btree (default_value_definition_id, parent_id);

CREATE INDEX default_values_organization ON public.default_values USING btree (organization_id, id);

CREATE UNIQUE INDEX deployment_approvals_actor ON public.deployment_approvals USING btree (deployment_id, actor_id);

CREATE INDEX deployment_approvals_organization ON public.deployment_approvals USING btree (organization_id, id);

CREATE INDEX deployment_archives_organization ON public.deployment_archives USING btree (organization_id, id);

CREATE INDEX deployment_archives_project ON public.deployment_archives USING btree (project_id);

CREATE INDEX deployment_resources_names ON public.deployment_resources USING gin (jsonb_path_query_array(resources, '$[*]."id"'::jsonpath) jsonb_path_ops);

CREATE INDEX deployments_archive ON public.deployments USING btree (archive_id) WHERE (archive_id IS NOT NULL);

CREATE INDEX deployments_bucket ON public.deployments USING btree (organization_id, ((release ->> 'bucket'::text))) WHERE (deployment_type = 'cloud:static'::text);

CREATE INDEX deployments_ended ON public.deployments USING btree (organization_id, completed_at) WHERE (completed_at IS NOT NULL);

CREATE INDEX deployments_environment ON public.deployments USING btree (environment_id, organization_id, id);

CREATE INDEX deployments_module_instance ON public.deployments USING btree (module_instance_id, organization_id, id);

CREATE INDEX deployments_of_status ON public.deployments USING btree (organization_id, status, id, project_id, environment_id);

CREATE UNIQUE INDEX deployments_one_active ON public.deployments USING btree (module_instance_id) WHERE (status = ANY (ARRAY['IN_PROGRESS'::text, 'ROLLING_BACK'::text]));

CREATE INDEX deployments_organization ON public.deployments USING btree (organization_id, id);

CREATE INDEX deployments_pipeline_run ON public.deployments USING btree (pipeline_run_id) WHERE (pipeline_run_id IS NOT NULL);

CREATE INDEX deployments_project ON public.deployments USING btree (project_id, organization_id, id);

CREATE INDEX deployments_resource_arn ON public.deployments USING btree (organization_id, resource_arn) WHERE (wake_at IS NOT NULL);

CREATE INDEX deployments_resource_history ON public.deployments USING btree (organization_id, resource_arn, id);

CREATE INDEX deployments_running ON public.deployments USING btree (module_instance_id, completed_at) WHERE (status = 'SUCCESS'::text);

CREATE INDEX deployments_to_archive ON public.deployments USING btree (project_id, completed_at) WHERE ((archive_id IS NULL) AND (completed_at IS NOT NULL));

CREATE INDEX deployments_wake ON public.deployments USING btree (wake_at) WHERE (wake_at IS NOT NULL);

CREATE INDEX device_sign_ins_expires ON public.device_sign_ins USING btree (expires_at);

CREATE INDEX device_sign_ins_membership ON public.device_sign_ins USING btree (membership_id);

CREATE INDEX domains_environment ON public.domains USING btree (environment_id);

CREATE UNIQUE INDEX domains_organization_name ON public.domains USING btree (organization_id, name);

CREATE INDEX domains_project ON public.domains USING btree (project_id);

CREATE UNIQUE INDEX environments_project_given_id ON public.environments USING btree (project_id, given_id);

CREATE UNIQUE INDEX event_queues_account ON public.event_queues USING btree (cloud_account_id);

CREATE UNIQUE INDEX event_queues_arn ON public.event_queues USING btree (queue_arn);

CREATE INDEX event_queues_organization ON public.event_queues USING btree (organization_id);

CREATE INDEX execution_assignments_execution_environment ON public.execution_assignments USING btree (execution_environment_id);

CREATE UNIQUE INDEX execution_assignments_once ON public.execution_assignments USING btree (organization_id, parent_id);

CREATE UNIQUE INDEX execution_environments_organization_given_id ON public.execution_environments USING btree (organization_id, given_id);

CREATE INDEX freeze_overrides_freeze ON public.freeze_overrides USING btree (freeze_id, id);

CREATE INDEX freeze_overrides_organization ON public.freeze_overrides USING btree (organization_id, until);

CREATE INDEX freezes_organization ON public.freezes USING btree (organization_id, id);

CREATE UNIQUE INDEX git_deliveries_body_once ON public.git_deliveries USING btree (sender, body_hash);

CREATE INDEX git_deliveries_created ON public.git_deliveries USING btree (created_at);

CREATE UNIQUE INDEX git_deliveries_once ON public.git_deliveries USING btree (sender, delivery_id);

CREATE INDEX git_deliveries_wake ON public.git_deliveries USING btree (wake_at) WHERE (wake_at IS NOT NULL);

CREATE INDEX git_feedback_commit ON public.git_feedback USING btree (code_source_id, commit);

CREATE UNIQUE INDEX git_feedback_run ON public.git_feedback USING btree (pipeline_run_id);

CREATE INDEX git_feedback_wake ON public.git_feedback USING btree (wake_at) WHERE (wake_at IS NOT NULL);

CREATE INDEX git_releases_host ON public.git_releases USING btree (code_source_id, host_id);

CREATE INDEX git_releases_wake ON public.git_releases USING btree (wake_at) WHERE (wake_at IS NOT NULL);

CREATE INDEX githosta_installations_installation ON public.githosta_installations USING btree (githosta_installation_id);

CREATE UNIQUE INDEX githosta_installations_once ON public.githosta_installations USING btree (organization_id, githosta_installation_id);

CREATE UNIQUE INDEX githostb_connections_once ON public.githostb_connections USING btree (organization_id, base_url, host_user_id);

CREATE UNIQUE INDEX githostb_instances_once ON public.githostb_instances USING btree (organization_id, base_url);

CREATE UNIQUE INDEX holds_after_rollback ON public.holds USING btree (module_instance_id) WHERE ((origin = 'ROLLBACK'::text) AND (released_at IS NULL));

CREATE INDEX holds_instance ON public.holds USING btree (module_instance_id);

CREATE INDEX holds_open ON public.holds USING btree (organization_id, environment_id) WHERE (released_at IS NULL);

CREATE INDEX holds_organization ON public.holds USING btree (organization_id, id);

CREATE UNIQUE INDEX iac_plans_applied_by ON public.iac_plans USING btree (applied_by_step_execution_id);

CREATE INDEX iac_plans_organization ON public.iac_plans USING btree (organization_id, id);

CREATE INDEX iac_plans_run ON public.iac_plans USING btree (pipeline_run_id);

CREATE UNIQUE INDEX iac_plans_step ON public.iac_plans USING btree (step_execution_id);

CREATE INDEX iac_resources_address ON public.iac_resources USING btree (pipeline_id, address, pipeline_run_id);

CREATE INDEX iac_resources_drifted ON public.iac_resources USING btree (organization_id, stack_id, address) WHERE ((drift_status = 'DRIFTED'::text) AND is_in_current_state);

CREATE INDEX iac_resources_organization ON public.iac_resources USING btree (organization_id, id);

CREATE INDEX iac_resources_run ON public.iac_resources USING btree (pipeline_run_id);

CREATE INDEX iac_resources_stack ON public.iac_resources USING btree (stack_id);

CREATE INDEX iac_state_versions_organization ON public.iac_state_versions USING btree (organization_id, id);

CREATE UNIQUE INDEX iac_state_versions_sequence ON public.iac_state_versions USING btree (workspace_id, sequence);

CREATE INDEX idempotent_answers_created ON public.idempotent_answers USING btree (created_at);

CREATE UNIQUE INDEX idempotent_answers_once ON public.idempotent_answers USING btree (organization_id, actor_id, operation_id, key);

CREATE UNIQUE INDEX identities_installation_subject ON public.identities USING btree (issuer, subject) WHERE (provider_id IS NULL);

CREATE UNIQUE INDEX identities_password ON public.identities USING btree (user_id) WHERE (type = 'EMAIL_PASSWORD'::text);

CREATE UNIQUE INDEX identities_provider_subject ON public.identities USING btree (provider_id, subject);

CREATE INDEX identities_user ON public.identities USING btree (user_id);

CREATE UNIQUE INDEX identity_providers_organization ON public.identity_providers USING btree (organization_id);

CREATE INDEX inboxes_organization ON public.inboxes USING btree (organization_id);

CREATE INDEX infrastructure_events_account ON public.infrastructure_events USING btree (cloud_account_id, organization_id, id);

CREATE UNIQUE INDEX infrastructure_events_once ON public.infrastructure_events USING btree (cloud_account_id, external_event_id);

CREATE INDEX infrastructure_events_organization ON public.infrastructure_events USING btree (organization_id, id);

CREATE INDEX infrastructure_events_resource ON public.infrastructure_events USING btree (organization_id, resource_arn, id) WHERE (resource_arn IS NOT NULL);

CREATE INDEX infrastructure_events_wake ON public.infrastructure_events USING btree (wake_at) WHERE (wake_at IS NOT NULL);

CREATE UNIQUE INDEX invitations_organization_email ON public.invitations USING btree (organization_id, email);

CREATE UNIQUE INDEX memberships_organization_user ON public.memberships USING btree (organization_id, user_id);

CREATE INDEX memberships_user ON public.memberships USING btree (user_id);

CREATE INDEX module_definitions_global ON public.module_definitions USING btree (is_global_published);

CREATE UNIQUE INDEX module_definitions_organization_type ON public.module_definitions USING btree (organization_id, type);

CREATE INDEX module_instance_applies_organization ON public.module_instance_applies USING btree (organization_id);

CREATE INDEX module_instance_references_referred ON public.module_instance_references USING btree (referred_id);

CREATE UNIQUE INDEX module_instances_environment_given_id ON public.module_instances USING btree (environment_id, given_id) WHERE (status <> 'DESTROYED'::text);

CREATE INDEX module_instances_organization ON public.module_instances USING btree (organization_id, id);

CREATE INDEX module_instances_resource ON public.module_instances USING btree (organization_id, resource_arn) WHERE (resource_arn IS NOT NULL);

CREATE UNIQUE INDEX module_versions_definition_version ON public.module_versions USING btree (module_definition_id, version);

CREATE INDEX module_versions_organization ON public.module_versions USING btree (organization_id, id);

CREATE UNIQUE INDEX notification_channels_membership ON public.notification_channels USING btree (membership_id) WHERE (membership_id IS NOT NULL);

CREATE INDEX notification_channels_organization ON public.notification_channels USING btree (organization_id, id);

CREATE INDEX notification_channels_team ON public.notification_channels USING btree (team_id) WHERE (team_id IS NOT NULL);

CREATE INDEX notification_channels_wake ON public.notification_channels USING btree (wake_at) WHERE (wake_at IS NOT NULL);

CREATE INDEX notification_deliveries_channel ON public.notification_deliveries USING btree (channel_id, organization_id, id);

CREATE UNIQUE INDEX notification_deliveries_once ON public.notification_deliveries USING btree (channel_id, event_id) WHERE (resend_of IS NULL);

CREATE INDEX notification_deliveries_organization ON public.notification_deliveries USING btree (organization_id, id);

CREATE INDEX notification_deliveries_pending ON public.notification_deliveries USING btree (channel_id, record_id, sequence) WHERE (status = 'PENDING'::text);

CREATE INDEX notification_events_environment ON public.notification_events USING btree (environment_id);

CREATE INDEX notification_events_number ON public.notification_events USING btree (organization_id, number);

CREATE UNIQUE INDEX notification_events_once ON public.notification_events USING btree (organization_id, event_id);

CREATE INDEX notification_events_project ON public.notification_events USING btree (project_id, number, type);

CREATE INDEX pipeline_runs_ended ON public.pipeline_runs USING btree (organization_id, completed_at) WHERE (completed_at IS NOT NULL);

CREATE INDEX pipeline_runs_group ON public.pipeline_runs USING btree (organization_id, concurrency_group, id) WHERE (concurrency_group IS NOT NULL);

CREATE INDEX pipeline_runs_module_instance ON public.pipeline_runs USING btree (module_instance_id, id);

CREATE UNIQUE INDEX pipeline_runs_number ON public.pipeline_runs USING btree (pipeline_id, number);

CREATE UNIQUE INDEX pipeline_runs_one_in_group ON public.pipeline_runs USING btree (organization_id, concurrency_group) WHERE ((concurrency_group IS NOT NULL) AND (status = ANY (ARRAY['IN_PROGRESS'::text, 'PENDING_APPROVAL'::text])));

CREATE INDEX pipeline_runs_organization ON public.pipeline_runs USING btree (organization_id, id);

CREATE INDEX pipeline_runs_pipeline ON public.pipeline_runs USING btree (pipeline_id, organization_id, id);

CREATE UNIQUE INDEX pipeline_runs_retried_once ON public.pipeline_runs USING btree (retry_of) WHERE (retry_of IS NOT NULL);

CREATE INDEX pipeline_runs_status ON public.pipeline_runs USING btree (organization_id, status, id);

CREATE INDEX pipeline_runs_wake ON public.pipeline_runs USING btree (wake_at) WHERE (wake_at IS NOT NULL);

CREATE INDEX pipeline_schedules_next ON public.pipeline_schedules USING btree (next_at);

CREATE INDEX pipeline_step_executions_approvals ON public.pipeline_step_executions USING btree (organization_id, ((approval ->> 'requestedAt'::text))) WHERE (approval IS NOT NULL);

CREATE UNIQUE INDEX pipeline_step_executions_once ON public.pipeline_step_executions USING btree (pipeline_run_id, step_id);

CREATE UNIQUE INDEX pipeline_step_executions_one_on_stack ON public.pipeline_step_executions USING btree (stack_id) WHERE ((stack_id IS NOT NULL) AND (status = 'IN_PROGRESS'::text));

CREATE INDEX pipeline_step_executions_organization ON public.pipeline_step_executions USING btree (organization_id, id);

CREATE INDEX pipeline_step_executions_ready ON public.pipeline_step_executions USING btree (execution_environment_id, organization_id, id) WHERE ((status = 'QUEUED'::text) AND (queue_reason = ANY (ARRAY['RUNNER_CAPACITY'::text, 'STACK_LOCKED'::text])));

CREATE INDEX pipeline_step_executions_run ON public.pipeline_step_executions USING btree (pipeline_run_id, id);

CREATE INDEX pipeline_step_executions_runner ON public.pipeline_step_executions USING btree (runner_id) WHERE ((status = 'IN_PROGRESS'::text) AND (runner_id IS NOT NULL));

CREATE INDEX pipeline_step_executions_status ON public.pipeline_step_executions USING btree (organization_id, status, id);

CREATE INDEX pipeline_step_executions_waiting_for_stack ON public.pipeline_step_executions USING btree (stack_id) WHERE ((status = 'QUEUED'::text) AND (stack_id IS NOT NULL));

CREATE INDEX pipeline_step_executions_wake ON public.pipeline_step_executions USING btree (wake_at) WHERE (wake_at IS NOT NULL);

CREATE UNIQUE INDEX pipeline_versions_number ON public.pipeline_versions USING btree (pipeline_id, version);

CREATE INDEX pipeline_versions_organization ON public.pipeline_versions USING btree (organization_id, id);

CREATE INDEX pipeline_versions_triggers ON public.pipeline_versions USING gin (((config -> 'triggers'::text)) jsonb_path_ops);

CREATE INDEX pipelines_organization ON public.pipelines USING btree (organization_id, id);

CREATE UNIQUE INDEX pipelines_project_given_id ON public.pipelines USING btree (project_id, given_id);

CREATE INDEX policies_organization ON public.policies USING btree (organization_id, id);

CREATE INDEX policy_overrides_organization ON public.policy_overrides USING btree (organization_id, until);

CREATE INDEX policy_overrides_policy ON public.policy_overrides USING btree (policy_id, id);

CREATE INDEX policy_versions_organization ON public.policy_versions USING btree (organization_id, id);

CREATE UNIQUE INDEX policy_versions_policy ON public.policy_versions USING btree (policy_id, version);

CREATE INDEX preview_environments_environment ON public.preview_environments USING btree (environment_id);

CREATE UNIQUE INDEX preview_environments_once ON public.preview_environments USING btree (preview_template_id, number);

CREATE INDEX preview_environments_organization ON public.preview_environments USING btree (organization_id, id);

CREATE INDEX preview_environments_project ON public.preview_environments USING btree (project_id, status);

CREATE INDEX preview_environments_wake ON public.preview_environments USING btree (wake_at) WHERE (wake_at IS NOT NULL);

CREATE INDEX preview_templates_code_source ON public.preview_templates USING btree (code_source_id);

CREATE INDEX preview_templates_environment ON public.preview_templates USING btree (environment_id);

CREATE INDEX preview_templates_organization ON public.preview_templates USING btree (organization_id, id);

CREATE INDEX preview_templates_pipeline ON public.preview_templates USING btree (pipeline_id);

CREATE UNIQUE INDEX projects_organization_given_id ON public.projects USING btree (organization_id, given_id);

CREATE INDEX promotion_rules_environment ON public.promotion_rules USING btree (environment_id);

CREATE INDEX promotion_rules_look ON public.promotion_rules USING btree (look_at);

CREATE INDEX promotion_rules_organization ON public.promotion_rules USING btree (organization_id, id);

CREATE UNIQUE INDEX promotion_rules_step ON public.promotion_rules USING btree (from_environment_id, environment_id);

CREATE INDEX promotions_instance ON public.promotions USING btree (module_instance_id);

CREATE UNIQUE INDEX promotions_once ON public.promotions USING btree (promotion_rule_id, source_deployment_id, module_instance_id);

CREATE INDEX promotions_organization ON public.promotions USING btree (organization_id, id);

CREATE INDEX promotions_source ON public.promotions USING btree (source_deployment_id);

CREATE INDEX records_in_files_organization ON public.records_in_files USING btree (organization_id, record_id);

CREATE INDEX rehearsals_environment ON public.rehearsals USING btree (environment_id);

CREATE INDEX rehearsals_instance ON public.rehearsals USING btree (module_instance_id, id);

CREATE INDEX rehearsals_organization ON public.rehearsals USING btree (organization_id, id);

CREATE INDEX rehearsals_project ON public.rehearsals USING btree (project_id);

CREATE INDEX rehearsals_release ON public.rehearsals USING btree (module_instance_id, release_hash, id);

CREATE INDEX rehearsals_step ON public.rehearsals USING btree (step_execution_id) WHERE (step_execution_id IS NOT NULL);

CREATE INDEX rehearsals_wake ON public.rehearsals USING btree (wake_at) WHERE (wake_at IS NOT NULL);

CREATE INDEX role_grants_environment ON public.role_grants USING btree (environment_id);

CREATE INDEX role_grants_membership ON public.role_grants USING btree (membership_id);

CREATE UNIQUE INDEX role_grants_once ON public.role_grants USING btree (project_id, COALESCE(environment_id, ''::text), COALESCE(membership_id, service_account_id, team_id), role);

CREATE INDEX role_grants_organization ON public.role_grants USING btree (organization_id, id);

CREATE INDEX role_grants_service_account ON public.role_grants USING btree (service_account_id);

CREATE INDEX role_grants_team ON public.role_grants USING btree (team_id);

CREATE INDEX row_counts_table ON public.row_counts USING btree (organization_id, table_name);

CREATE INDEX runner_tasks_environment ON public.runner_tasks USING btree (organization_id, execution_environment_id, id);

CREATE UNIQUE INDEX runner_tasks_once ON public.runner_tasks USING btree (step_execution_id, attempt_epoch);

CREATE INDEX runner_tasks_wake ON public.runner_tasks USING btree (wake_at) WHERE (wake_at IS NOT NULL);

CREATE INDEX runner_tokens_organization ON public.runner_tokens USING btree (organization_id, id);

CREATE INDEX runner_tools_environment ON public.runner_tools USING btree (execution_environment_id);

CREATE UNIQUE INDEX runners_once ON public.runners USING btree (execution_environment_id, runner_id);

CREATE INDEX runners_organization ON public.runners USING btree (organization_id, id);

CREATE INDEX saved_views_organization ON public.saved_views USING btree (organization_id);

CREATE INDEX search_words_found ON public.search_words USING btree (organization_id, resource, word text_pattern_ops, record_id);

CREATE INDEX service_account_trusts_account ON public.service_account_trusts USING btree (service_account_id);

CREATE INDEX service_account_trusts_organization ON public.service_account_trusts USING btree (organization_id, id);

CREATE UNIQUE INDEX service_accounts_organization_name ON public.service_accounts USING btree (organization_id, name);

CREATE INDEX sessions_identity ON public.sessions USING btree (identity_id);

CREATE INDEX sessions_membership ON public.sessions USING btree (membership_id);

CREATE UNIQUE INDEX sign_in_domains_organization_domain ON public.sign_in_domains USING btree (organization_id, domain);

CREATE UNIQUE INDEX sign_in_domains_verified ON public.sign_in_domains USING btree (domain) WHERE (verified_at IS NOT NULL);

CREATE UNIQUE INDEX slack_accounts_membership ON public.slack_accounts USING btree (membership_id);

CREATE UNIQUE INDEX slack_accounts_person ON public.slack_accounts USING btree (organization_id, slack_team, slack_user);

CREATE INDEX slack_presses_channel ON public.slack_presses USING btree (channel_id);

CREATE INDEX slack_presses_created ON public.slack_presses USING btree (created_at);

CREATE UNIQUE INDEX slack_presses_once ON public.slack_presses USING btree (organization_id, request_hash);

CREATE INDEX slack_presses_wake ON public.slack_presses USING btree (wake_at) WHERE (wake_at IS NOT NULL);

CREATE INDEX spent_git_states_organization ON public.spent_git_states USING btree (organization_id, expires_at);

CREATE INDEX stack_drifts_next ON public.stack_drifts USING btree (next_at);

CREATE INDEX stack_drifts_organization ON public.stack_drifts USING btree (organization_id, status);

CREATE INDEX stack_drifts_pipeline ON public.stack_drifts USING btree (pipeline_id);

CREATE INDEX stack_workspaces_organization ON public.stack_workspaces USING btree (organization_id, id);

CREATE UNIQUE INDEX stack_workspaces_stack_name ON public.stack_workspaces USING btree (stack_id, name);

CREATE INDEX stacks_organization ON public.stacks USING btree (organization_id, id);

CREATE UNIQUE INDEX stacks_project_given_id ON public.stacks USING btree (project_id, given_id);

CREATE UNIQUE INDEX step_approvals_actor ON public.step_approvals USING btree (step_execution_id, actor_id);

CREATE INDEX step_approvals_organization ON public.step_approvals USING btree (organization_id, id);

CREATE INDEX step_artifact_pieces_organization ON public.step_artifact_pieces USING btree (organization_id, id);

CREATE UNIQUE INDEX step_artifact_pieces_position ON public.step_artifact_pieces USING btree (step_artifact_id, "position");

CREATE UNIQUE INDEX step_artifacts_name ON public.step_artifacts USING btree (pipeline_run_id, name);

CREATE INDEX step_artifacts_organization ON public.step_artifacts USING btree (organization_id, id);

CREATE INDEX step_artifacts_step ON public.step_artifacts USING btree (step_execution_id);

CREATE UNIQUE INDEX team_members_membership ON public.team_members USING btree (membership_id, team_id);

CREATE INDEX team_members_organization ON public.team_members USING btree (organization_id, id);

CREATE INDEX team_members_provider ON public.team_members USING btree (provider_id);

CREATE UNIQUE INDEX team_members_service_account ON public.team_members USING btree (service_account_id, team_id);

CREATE INDEX team_members_team ON public.team_members USING btree (team_id);

CREATE UNIQUE INDEX teams_organization_name ON public.teams USING btree (organization_id, name);

CREATE UNIQUE INDEX watched_pull_requests_once ON public.watched_pull_requests USING btree (watched_repository_id, number);

CREATE INDEX watched_pull_requests_organization ON public.watched_pull_requests USING btree (organization_id);

CREATE INDEX watched_pull_requests_project ON public.watched_pull_requests USING btree (project_id);

CREATE INDEX watched_pull_requests_wake ON public.watched_pull_requests USING btree (wake_at) WHERE (wake_at IS NOT NULL);

CREATE INDEX watched_repositories_code_source ON public.watched_repositories USING btree (code_source_id);

CREATE INDEX watched_repositories_organization ON public.watched_repositories USING btree (organization_id, id);

CREATE UNIQUE INDEX watched_repositories_project ON public.watched_repositories USING btree (project_id);

CREATE INDEX watched_repositories_service_account ON public.watched_repositories USING btree (service_account_id);

CREATE INDEX watched_repositories_wake ON public.watched_repositories USING btree (wake_at) WHERE (wake_at IS NOT NULL);

CREATE TRIGGER archived_log_removed AFTER DELETE ON public.archived_step_logs FOR EACH ROW WHEN ((old.stored_at IS NOT NULL)) EXECUTE FUNCTION public.count_archived_log();

CREATE TRIGGER archived_log_stored AFTER UPDATE ON public.archived_step_logs FOR EACH ROW WHEN (((old.stored_at IS NULL) AND (new.stored_at IS NOT NULL))) EXECUTE FUNCTION public.count_archived_log();

CREATE TRIGGER audit_chain_stays BEFORE DELETE OR UPDATE ON public.audit_chain FOR EACH ROW EXECUTE FUNCTION public.audit_chain_stays();

CREATE TRIGGER audit_chain_stays_whole BEFORE TRUNCATE ON public.audit_chain FOR EACH STATEMENT EXECUTE FUNCTION public.audit_chain_stays();

CREATE TRIGGER audit_events_stay BEFORE DELETE OR UPDATE ON public.audit_events FOR EACH ROW EXECUTE FUNCTION public.audit_events_stay();

CREATE TRIGGER audit_events_stay_whole BEFORE TRUNCATE ON public.audit_events FOR EACH STATEMENT EXECUTE FUNCTION public.audit_events_stay();

CREATE TRIGGER bytes_deleted AFTER DELETE ON public.iac_plans REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION public.keep_bytes('sealed');

CREATE TRIGGER bytes_deleted AFTER DELETE ON public.iac_state_versions REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION public.keep_bytes('sealed');

CREATE TRIGGER bytes_deleted AFTER DELETE ON public.step_artifact_pieces REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION public.keep_bytes('sealed');

CREATE TRIGGER bytes_deleted AFTER DELETE ON public.step_log_chunks REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION public.keep_bytes('text');

CREATE TRIGGER bytes_inserted AFTER INSERT ON public.iac_plans REFERENCING NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION public.keep_bytes('sealed');

CREATE TRIGGER bytes_inserted AFTER INSERT ON public.iac_state_versions REFERENCING NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION public.keep_bytes('sealed');

CREATE TRIGGER bytes_inserted AFTER INSERT ON public.step_artifact_pieces REFERENCING NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION public.keep_bytes('sealed');

CREATE TRIGGER bytes_inserted AFTER INSERT ON public.step_log_chunks REFERENCING NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION public.keep_bytes_of_step_logs();

CREATE TRIGGER bytes_updated AFTER UPDATE ON public.iac_plans REFERENCING OLD TABLE AS gone NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION public.keep_bytes('sealed');

CREATE TRIGGER bytes_updated AFTER UPDATE ON public.iac_state_versions REFERENCING OLD TABLE AS gone NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION public.keep_bytes('sealed');

CREATE TRIGGER bytes_updated AFTER UPDATE ON public.step_artifact_pieces REFERENCING OLD TABLE AS gone NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION public.keep_bytes('sealed');

CREATE TRIGGER bytes_updated AFTER UPDATE ON public.step_log_chunks REFERENCING OLD TABLE AS gone NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION public.keep_bytes('text');

CREATE CONSTRAINT TRIGGER chain_audit_event AFTER INSERT ON public.audit_events DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.chain_audit_event();

CREATE TRIGGER change_noted AFTER INSERT OR DELETE OR UPDATE ON public.approval_rules FOR EACH ROW EXECUTE FUNCTION public.note_change_of_approval_rules();

CREATE TRIGGER change_noted AFTER INSERT OR DELETE OR UPDATE ON public.certificates FOR EACH ROW EXECUTE FUNCTION public.note_change_of_certificates();

CREATE TRIGGER change_noted AFTER INSERT OR DELETE OR UPDATE ON public.cloud_accounts FOR EACH ROW EXECUTE FUNCTION public.note_change_of_cloud_accounts();

CREATE TRIGGER change_noted AFTER INSERT OR DELETE OR UPDATE ON public.code_sources FOR EACH ROW EXECUTE FUNCTION public.note_change_of_code_sources();

CREATE TRIGGER change_noted AFTER INSERT OR DELETE ON public.deployments FOR EACH ROW EXECUTE FUNCTION public.note_change_of_deployments();

CREATE TRIGGER change_noted AFTER INSERT OR DELETE OR UPDATE ON public.domains FOR EACH ROW EXECUTE FUNCTION public.note_change_of_domains();

CREATE TRIGGER change_noted AFTER INSERT OR DELETE OR UPDATE ON public.environments FOR EACH ROW EXECUTE FUNCTION public.note_change_of_environments();

CREATE TRIGGER change_noted AFTER INSERT OR DELETE OR UPDATE ON public.execution_environments FOR EACH ROW EXECUTE FUNCTION public.note_change_of_execution_environments();

CREATE TRIGGER change_noted AFTER INSERT OR DELETE OR UPDATE ON public.freezes FOR EACH ROW EXECUTE FUNCTION public.note_change_of_freezes();

CREATE TRIGGER change_noted AFTER INSERT OR DELETE OR UPDATE ON public.holds FOR EACH ROW EXECUTE FUNCTION public.note_change_of_holds();

CREATE TRIGGER change_noted AFTER INSERT OR DELETE OR UPDATE ON public.iac_plans FOR EACH ROW EXECUTE FUNCTION public.note_change_of_iac_plans();

CREATE TRIGGER change_noted AFTER INSERT OR DELETE OR UPDATE ON public.module_definitions FOR EACH ROW EXECUTE FUNCTION public.note_change_of_module_definitions();

CREATE TRIGGER change_noted AFTER INSERT OR DELETE OR UPDATE ON public.module_instances FOR EACH ROW EXECUTE FUNCTION public.note_change_of_module_instances();

CREATE TRIGGER change_noted AFTER INSERT OR DELETE OR UPDATE ON public.module_versions FOR EACH ROW EXECUTE FUNCTION public.note_change_of_module_versions();

CREATE TRIGGER change_noted AFTER INSERT ON public.notification_events FOR EACH ROW EXECUTE FUNCTION public.note_change_of_notification_events();

CREATE TRIGGER change_noted AFTER INSERT OR DELETE OR UPDATE ON public.pipeline_runs FOR EACH ROW EXECUTE FUNCTION public.note_change_of_pipeline_runs();

CREATE TRIGGER change_noted AFTER INSERT OR DELETE OR UPDATE ON public.pipeline_step_executions FOR EACH ROW EXECUTE FUNCTION public.note_change_of_pipeline_step_executions();

CREATE TRIGGER change_noted AFTER INSERT OR DELETE OR UPDATE ON public.pipeline_versions FOR EACH ROW EXECUTE FUNCTION public.note_change_of_pipeline_versions();

CREATE TRIGGER change_noted AFTER INSERT OR DELETE OR UPDATE ON public.pipelines FOR EACH ROW EXECUTE FUNCTION public.note_change_of_pipelines();

CREATE TRIGGER change_noted AFTER INSERT OR DELETE OR UPDATE ON public.policies FOR EACH ROW EXECUTE FUNCTION public.note_change_of_policies();

CREATE TRIGGER change_noted AFTER INSERT OR DELETE OR UPDATE OF environment_id, commit, status, message, ended_because, expires_at, pipeline_run_id, failed_teardowns ON public.preview_environments FOR EACH ROW EXECUTE FUNCTION public.note_change_of_preview_environments();

CREATE TRIGGER change_noted AFTER INSERT OR DELETE OR UPDATE ON public.preview_templates FOR EACH ROW EXECUTE FUNCTION public.note_change_of_preview_templates();

CREATE TRIGGER change_noted AFTER INSERT OR DELETE OR UPDATE ON public.projects FOR EACH ROW EXECUTE FUNCTION public.note_change_of_projects();

CREATE TRIGGER change_noted AFTER INSERT OR DELETE OR UPDATE OF reason, soak_minutes, start, mode, written_by ON public.promotion_rules FOR EACH ROW EXECUTE FUNCTION public.note_change_of_promotion_rules();

CREATE TRIGGER change_noted AFTER INSERT OR DELETE OR UPDATE ON public.stacks FOR EACH ROW EXECUTE FUNCTION public.note_change_of_stacks();

CREATE TRIGGER change_noted AFTER INSERT OR DELETE OR UPDATE OF code_source_id, branch, path, service_account_id, apply, prune, run_stacks, comments, status, message, commit, applied_commit, plan_digest, fault_count, approved_by ON public.watched_repositories FOR EACH ROW EXECUTE FUNCTION public.note_change_of_watched_repositories();

CREATE TRIGGER change_noted_of_update AFTER UPDATE ON public.deployments FOR EACH ROW WHEN ((NOT (old.archive_id IS DISTINCT FROM new.archive_id))) EXECUTE FUNCTION public.note_change_of_deployments();

CREATE TRIGGER count_deleted AFTER DELETE ON public.audit_events REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.keep_count();

CREATE TRIGGER count_deleted AFTER DELETE ON public.deployments REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.keep_count();

CREATE TRIGGER count_deleted AFTER DELETE ON public.iac_resources REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.keep_count();

CREATE TRIGGER count_deleted AFTER DELETE ON public.infrastructure_events REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.keep_count();

CREATE TRIGGER count_deleted AFTER DELETE ON public.pipeline_runs REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.keep_count();

CREATE TRIGGER count_deleted AFTER DELETE ON public.pipeline_step_executions REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.keep_count();

CREATE TRIGGER count_inserted AFTER INSERT ON public.audit_events REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.keep_count();

CREATE TRIGGER count_inserted AFTER INSERT ON public.deployments REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.keep_count();

CREATE TRIGGER count_inserted AFTER INSERT ON public.iac_resources REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.keep_count();

CREATE TRIGGER count_inserted AFTER INSERT ON public.infrastructure_events REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.keep_count();

CREATE TRIGGER count_inserted AFTER INSERT ON public.pipeline_runs REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.keep_count();

CREATE TRIGGER count_inserted AFTER INSERT ON public.pipeline_step_executions REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.keep_count();

CREATE TRIGGER deployments_final BEFORE UPDATE ON public.deployments FOR EACH ROW WHEN ((old.status = ANY (ARRAY['SUCCESS'::text, 'ERROR'::text, 'CANCELLED'::text, 'ROLLED_BACK'::text]))) EXECUTE FUNCTION public.refuse_change_of_final_deployment();

CREATE TRIGGER leave_archive AFTER DELETE ON public.archived_step_logs FOR EACH ROW EXECUTE FUNCTION public.leave_archive();

CREATE TRIGGER leave_archive AFTER DELETE ON public.deployment_archives FOR EACH ROW EXECUTE FUNCTION public.leave_archive();

CREATE TRIGGER leave_empty_archives AFTER DELETE ON public.deployments REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION public.leave_empty_archives();

CREATE TRIGGER pipeline_runs_final BEFORE UPDATE ON public.pipeline_runs FOR EACH ROW WHEN ((old.status = ANY (ARRAY['SUCCESS'::text, 'ERROR'::text, 'CANCELLED'::text]))) EXECUTE FUNCTION public.refuse_change_of_final_row('pipeline run');

CREATE TRIGGER pipeline_step_executions_final BEFORE UPDATE ON public.pipeline_step_executions FOR EACH ROW WHEN ((old.status = ANY (ARRAY['SUCCESS'::text, 'ERROR'::text, 'CANCELLED'::text, 'SKIPPED'::text]))) EXECUTE FUNCTION public.refuse_change_of_final_row('step execution');

CREATE TRIGGER release_what_is_there BEFORE INSERT ON public.deployments FOR EACH ROW WHEN (((new.status = 'PENDING'::text) AND (new.trigger_source <> 'EXTERNAL'::text))) EXECUTE FUNCTION public.release_what_is_there();

CREATE TRIGGER run_numbered BEFORE INSERT ON public.pipeline_runs FOR EACH ROW EXECUTE FUNCTION public.number_run();

CREATE TRIGGER tell_git_hosts_of_deployments AFTER INSERT ON public.deployments REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.tell_git_hosts_of_deployments();

CREATE TRIGGER tell_of_audit_events AFTER INSERT ON public.audit_events REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.tell_of_audit_events();

CREATE TRIGGER wake_git_release AFTER UPDATE OF status ON public.deployments FOR EACH ROW WHEN ((old.status IS DISTINCT FROM new.status)) EXECUTE FUNCTION public.wake_git_release();

CREATE TRIGGER words_kept AFTER INSERT OR DELETE ON public.deployments FOR EACH ROW EXECUTE FUNCTION public.keep_words_of_deployments();

CREATE TRIGGER words_kept AFTER INSERT OR DELETE ON public.iac_resources FOR EACH ROW EXECUTE FUNCTION public.keep_words_of_iac_resources();

CREATE TRIGGER words_kept AFTER INSERT OR DELETE ON public.pipeline_runs FOR EACH ROW EXECUTE FUNCTION public.keep_words_of_pipeline_runs();

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_membership_id_memberships_id_fk FOREIGN KEY (membership_id) REFERENCES public.memberships(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_service_account_id_service_accounts_id_fk FOREIGN KEY (service_account_id) REFERENCES public.service_accounts(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_trust_id_service_account_trusts_id_fk FOREIGN KEY (trust_id) REFERENCES public.service_account_trusts(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.applied_files
    ADD CONSTRAINT applied_files_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.applied_files
    ADD CONSTRAINT applied_files_project_id_projects_id_fk FOREIGN KEY (project_id) REFERENCES public.projects(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.approval_delegations
    ADD CONSTRAINT approval_delegations_delegate_id_memberships_id_fk FOREIGN KEY (delegate_id) REFERENCES public.memberships(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.approval_delegations
    ADD CONSTRAINT approval_delegations_membership_id_memberships_id_fk FOREIGN KEY (membership_id) REFERENCES public.memberships(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.approval_delegations
    ADD CONSTRAINT approval_delegations_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.approval_rules
    ADD CONSTRAINT approval_rules_environment_id_environments_id_fk FOREIGN KEY (environment_id) REFERENCES public.environments(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.approval_rules
    ADD CONSTRAINT approval_rules_module_instance_id_module_instances_id_fk FOREIGN KEY (module_instance_id) REFERENCES public.module_instances(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.approval_rules
    ADD CONSTRAINT approval_rules_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.approval_rules
    ADD CONSTRAINT approval_rules_project_id_projects_id_fk FOREIGN KEY (project_id) REFERENCES public.projects(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.archived_step_logs
    ADD CONSTRAINT archived_step_logs_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.archived_step_logs
    ADD CONSTRAINT archived_step_logs_step_execution_id_pipeline_step_executions_i FOREIGN KEY (step_execution_id) REFERENCES public.pipeline_step_executions(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.artifact_retentions
    ADD CONSTRAINT artifact_retentions_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.artifacts
    ADD CONSTRAINT artifacts_module_instance_id_module_instances_id_fk FOREIGN KEY (module_instance_id) REFERENCES public.module_instances(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.artifacts
    ADD CONSTRAINT artifacts_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.audit_events_to_tell
    ADD CONSTRAINT audit_events_to_tell_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.certificates
    ADD CONSTRAINT certificates_cloud_account_id_cloud_accounts_id_fk FOREIGN KEY (cloud_account_id) REFERENCES public.cloud_accounts(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.certificates
    ADD CONSTRAINT certificates_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.cloud_accounts
    ADD CONSTRAINT cloud_accounts_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.cloud_connections
    ADD CONSTRAINT cloud_connections_cloud_account_id_cloud_accounts_id_fk FOREIGN KEY (cloud_account_id) REFERENCES public.cloud_accounts(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.cloud_connections
    ADD CONSTRAINT cloud_connections_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.code_sources
    ADD CONSTRAINT code_sources_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.default_value_definitions
    ADD CONSTRAINT default_value_definitions_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.default_values
    ADD CONSTRAINT default_values_default_value_definition_id_default_value_defini FOREIGN KEY (default_value_definition_id) REFERENCES public.default_value_definitions(id);

ALTER TABLE ONLY public.default_values
    ADD CONSTRAINT default_values_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.deployment_approvals
    ADD CONSTRAINT deployment_approvals_deployment_id_deployments_id_fk FOREIGN KEY (deployment_id) REFERENCES public.deployments(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.deployment_approvals
    ADD CONSTRAINT deployment_approvals_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.deployment_archives
    ADD CONSTRAINT deployment_archives_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.deployment_archives
    ADD CONSTRAINT deployment_archives_project_id_projects_id_fk FOREIGN KEY (project_id) REFERENCES public.projects(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.deployment_resources
    ADD CONSTRAINT deployment_resources_deployment_id_deployments_id_fk FOREIGN KEY (deployment_id) REFERENCES public.deployments(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.deployment_resources
    ADD CONSTRAINT deployment_resources_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.deployments
    ADD CONSTRAINT deployments_environment_id_environments_id_fk FOREIGN KEY (environment_id) REFERENCES public.environments(id);

ALTER TABLE ONLY public.deployments
    ADD CONSTRAINT deployments_module_instance_id_module_instances_id_fk FOREIGN KEY (module_instance_id) REFERENCES public.module_instances(id);

ALTER TABLE ONLY public.deployments
    ADD CONSTRAINT deployments_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.deployments
    ADD CONSTRAINT deployments_project_id_projects_id_fk FOREIGN KEY (project_id) REFERENCES public.projects(id);

ALTER TABLE ONLY public.device_sign_ins
    ADD CONSTRAINT device_sign_ins_membership_id_memberships_id_fk FOREIGN KEY (membership_id) REFERENCES public.memberships(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.domains
    ADD CONSTRAINT domains_environment_id_environments_id_fk FOREIGN KEY (environment_id) REFERENCES public.environments(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.domains
    ADD CONSTRAINT domains_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.domains
    ADD CONSTRAINT domains_project_id_projects_id_fk FOREIGN KEY (project_id) REFERENCES public.projects(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.environment_networks
    ADD CONSTRAINT environment_networks_cloud_account_id_cloud_accounts_id_fk FOREIGN KEY (cloud_account_id) REFERENCES public.cloud_accounts(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.environment_networks
    ADD CONSTRAINT environment_networks_environment_id_environments_id_fk FOREIGN KEY (environment_id) REFERENCES public.environments(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.environment_networks
    ADD CONSTRAINT environment_networks_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.environments
    ADD CONSTRAINT environments_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.environments
    ADD CONSTRAINT environments_project_id_projects_id_fk FOREIGN KEY (project_id) REFERENCES public.projects(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.event_queues
    ADD CONSTRAINT event_queues_cloud_account_id_cloud_accounts_id_fk FOREIGN KEY (cloud_account_id) REFERENCES public.cloud_accounts(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.event_queues
    ADD CONSTRAINT event_queues_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.execution_assignments
    ADD CONSTRAINT execution_assignments_environment_id_environments_id_fk FOREIGN KEY (environment_id) REFERENCES public.environments(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.execution_assignments
    ADD CONSTRAINT execution_assignments_execution_environment_id_execution_enviro FOREIGN KEY (execution_environment_id) REFERENCES public.execution_environments(id);

ALTER TABLE ONLY public.execution_assignments
    ADD CONSTRAINT execution_assignments_module_definition_id_module_definitions_i FOREIGN KEY (module_definition_id) REFERENCES public.module_definitions(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.execution_assignments
    ADD CONSTRAINT execution_assignments_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.execution_assignments
    ADD CONSTRAINT execution_assignments_project_id_projects_id_fk FOREIGN KEY (project_id) REFERENCES public.projects(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.execution_environments
    ADD CONSTRAINT execution_environments_cloud_account_id_cloud_accounts_id_fk FOREIGN KEY (cloud_account_id) REFERENCES public.cloud_accounts(id);

ALTER TABLE ONLY public.execution_environments
    ADD CONSTRAINT execution_environments_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.favourites
    ADD CONSTRAINT favourites_membership_id_memberships_id_fk FOREIGN KEY (membership_id) REFERENCES public.memberships(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.favourites
    ADD CONSTRAINT favourites_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.freeze_overrides
    ADD CONSTRAINT freeze_overrides_environment_id_environments_id_fk FOREIGN KEY (environment_id) REFERENCES public.environments(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.freeze_overrides
    ADD CONSTRAINT freeze_overrides_freeze_id_freezes_id_fk FOREIGN KEY (freeze_id) REFERENCES public.freezes(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.freeze_overrides
    ADD CONSTRAINT freeze_overrides_module_instance_id_module_instances_id_fk FOREIGN KEY (module_instance_id) REFERENCES public.module_instances(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.freeze_overrides
    ADD CONSTRAINT freeze_overrides_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.freeze_overrides
    ADD CONSTRAINT freeze_overrides_project_id_projects_id_fk FOREIGN KEY (project_id) REFERENCES public.projects(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.freezes
    ADD CONSTRAINT freezes_environment_id_environments_id_fk FOREIGN KEY (environment_id) REFERENCES public.environments(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.freezes
    ADD CONSTRAINT freezes_module_instance_id_module_instances_id_fk FOREIGN KEY (module_instance_id) REFERENCES public.module_instances(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.freezes
    ADD CONSTRAINT freezes_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.freezes
    ADD CONSTRAINT freezes_project_id_projects_id_fk FOREIGN KEY (project_id) REFERENCES public.projects(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.git_feedback
    ADD CONSTRAINT git_feedback_code_source_id_code_sources_id_fk FOREIGN KEY (code_source_id) REFERENCES public.code_sources(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.git_feedback
    ADD CONSTRAINT git_feedback_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.git_feedback
    ADD CONSTRAINT git_feedback_pipeline_id_pipelines_id_fk FOREIGN KEY (pipeline_id) REFERENCES public.pipelines(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.git_feedback
    ADD CONSTRAINT git_feedback_pipeline_run_id_pipeline_runs_id_fk FOREIGN KEY (pipeline_run_id) REFERENCES public.pipeline_runs(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.git_releases
    ADD CONSTRAINT git_releases_code_source_id_code_sources_id_fk FOREIGN KEY (code_source_id) REFERENCES public.code_sources(id) ON DELETE SET NULL;

ALTER TABLE ONLY public.git_releases
    ADD CONSTRAINT git_releases_id_deployments_id_fk FOREIGN KEY (id) REFERENCES public.deployments(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.git_releases
    ADD CONSTRAINT git_releases_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.githosta_installations
    ADD CONSTRAINT githosta_installations_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.githostb_connections
    ADD CONSTRAINT githostb_connections_instance_id_githostb_instances_id_fk FOREIGN KEY (instance_id) REFERENCES public.githostb_instances(id);

ALTER TABLE ONLY public.githostb_connections
    ADD CONSTRAINT githostb_connections_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.githostb_instances
    ADD CONSTRAINT githostb_instances_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.hold_rules
    ADD CONSTRAINT hold_rules_environment_id_environments_id_fk FOREIGN KEY (environment_id) REFERENCES public.environments(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.hold_rules
    ADD CONSTRAINT hold_rules_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.holds
    ADD CONSTRAINT holds_environment_id_environments_id_fk FOREIGN KEY (environment_id) REFERENCES public.environments(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.holds
    ADD CONSTRAINT holds_module_instance_id_module_instances_id_fk FOREIGN KEY (module_instance_id) REFERENCES public.module_instances(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.holds
    ADD CONSTRAINT holds_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.holds
    ADD CONSTRAINT holds_project_id_projects_id_fk FOREIGN KEY (project_id) REFERENCES public.projects(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.iac_plans
    ADD CONSTRAINT iac_plans_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.iac_plans
    ADD CONSTRAINT iac_plans_pipeline_run_id_pipeline_runs_id_fk FOREIGN KEY (pipeline_run_id) REFERENCES public.pipeline_runs(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.iac_plans
    ADD CONSTRAINT iac_plans_stack_id_stacks_id_fk FOREIGN KEY (stack_id) REFERENCES public.stacks(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.iac_plans
    ADD CONSTRAINT iac_plans_step_execution_id_pipeline_step_executions_id_fk FOREIGN KEY (step_execution_id) REFERENCES public.pipeline_step_executions(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.iac_plans
    ADD CONSTRAINT iac_plans_workspace_id_stack_workspaces_id_fk FOREIGN KEY (workspace_id) REFERENCES public.stack_workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.iac_resources
    ADD CONSTRAINT iac_resources_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.iac_resources
    ADD CONSTRAINT iac_resources_pipeline_id_pipelines_id_fk FOREIGN KEY (pipeline_id) REFERENCES public.pipelines(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.iac_resources
    ADD CONSTRAINT iac_resources_pipeline_run_id_pipeline_runs_id_fk FOREIGN KEY (pipeline_run_id) REFERENCES public.pipeline_runs(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.iac_resources
    ADD CONSTRAINT iac_resources_stack_id_stacks_id_fk FOREIGN KEY (stack_id) REFERENCES public.stacks(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.iac_resources
    ADD CONSTRAINT iac_resources_step_execution_id_pipeline_step_executions_id_fk FOREIGN KEY (step_execution_id) REFERENCES public.pipeline_step_executions(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.iac_state_versions
    ADD CONSTRAINT iac_state_versions_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.iac_state_versions
    ADD CONSTRAINT iac_state_versions_workspace_id_stack_workspaces_id_fk FOREIGN KEY (workspace_id) REFERENCES public.stack_workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.idempotent_answers
    ADD CONSTRAINT idempotent_answers_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.identities
    ADD CONSTRAINT identities_provider_id_identity_providers_id_fk FOREIGN KEY (provider_id) REFERENCES public.identity_providers(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.identities
    ADD CONSTRAINT identities_user_id_users_id_fk FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.identity_providers
    ADD CONSTRAINT identity_providers_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.inboxes
    ADD CONSTRAINT inboxes_membership_id_memberships_id_fk FOREIGN KEY (membership_id) REFERENCES public.memberships(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.inboxes
    ADD CONSTRAINT inboxes_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.infrastructure_events
    ADD CONSTRAINT infrastructure_events_cloud_account_id_cloud_accounts_id_fk FOREIGN KEY (cloud_account_id) REFERENCES public.cloud_accounts(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.infrastructure_events
    ADD CONSTRAINT infrastructure_events_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_user_id_users_id_fk FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.module_definitions
    ADD CONSTRAINT module_definitions_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.module_instance_applies
    ADD CONSTRAINT module_instance_applies_module_instance_id_module_instances_id_ FOREIGN KEY (module_instance_id) REFERENCES public.module_instances(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.module_instance_applies
    ADD CONSTRAINT module_instance_applies_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.module_instance_references
    ADD CONSTRAINT module_instance_references_module_instance_id_module_instances_ FOREIGN KEY (module_instance_id) REFERENCES public.module_instances(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.module_instance_references
    ADD CONSTRAINT module_instance_references_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.module_instance_references
    ADD CONSTRAINT module_instance_references_referred_id_module_instances_id_fk FOREIGN KEY (referred_id) REFERENCES public.module_instances(id);

ALTER TABLE ONLY public.module_instances
    ADD CONSTRAINT module_instances_environment_id_environments_id_fk FOREIGN KEY (environment_id) REFERENCES public.environments(id);

ALTER TABLE ONLY public.module_instances
    ADD CONSTRAINT module_instances_module_definition_id_module_definitions_id_fk FOREIGN KEY (module_definition_id) REFERENCES public.module_definitions(id);

ALTER TABLE ONLY public.module_instances
    ADD CONSTRAINT module_instances_module_version_id_module_versions_id_fk FOREIGN KEY (module_version_id) REFERENCES public.module_versions(id);

ALTER TABLE ONLY public.module_instances
    ADD CONSTRAINT module_instances_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.module_instances
    ADD CONSTRAINT module_instances_project_id_projects_id_fk FOREIGN KEY (project_id) REFERENCES public.projects(id);

ALTER TABLE ONLY public.module_versions
    ADD CONSTRAINT module_versions_module_definition_id_module_definitions_id_fk FOREIGN KEY (module_definition_id) REFERENCES public.module_definitions(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.module_versions
    ADD CONSTRAINT module_versions_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.notification_channels
    ADD CONSTRAINT notification_channels_membership_id_memberships_id_fk FOREIGN KEY (membership_id) REFERENCES public.memberships(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.notification_channels
    ADD CONSTRAINT notification_channels_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.notification_channels
    ADD CONSTRAINT notification_channels_project_id_projects_id_fk FOREIGN KEY (project_id) REFERENCES public.projects(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.notification_channels
    ADD CONSTRAINT notification_channels_team_id_teams_id_fk FOREIGN KEY (team_id) REFERENCES public.teams(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.notification_deliveries
    ADD CONSTRAINT notification_deliveries_channel_id_notification_channels_id_fk FOREIGN KEY (channel_id) REFERENCES public.notification_channels(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.notification_deliveries
    ADD CONSTRAINT notification_deliveries_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.notification_events
    ADD CONSTRAINT notification_events_environment_id_environments_id_fk FOREIGN KEY (environment_id) REFERENCES public.environments(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.notification_events
    ADD CONSTRAINT notification_events_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.notification_events
    ADD CONSTRAINT notification_events_project_id_projects_id_fk FOREIGN KEY (project_id) REFERENCES public.projects(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.notification_positions
    ADD CONSTRAINT notification_positions_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.pipeline_run_numbers
    ADD CONSTRAINT pipeline_run_numbers_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.pipeline_run_numbers
    ADD CONSTRAINT pipeline_run_numbers_pipeline_id_pipelines_id_fk FOREIGN KEY (pipeline_id) REFERENCES public.pipelines(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.pipeline_runs
    ADD CONSTRAINT pipeline_runs_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.pipeline_runs
    ADD CONSTRAINT pipeline_runs_pipeline_id_pipelines_id_fk FOREIGN KEY (pipeline_id) REFERENCES public.pipelines(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.pipeline_runs
    ADD CONSTRAINT pipeline_runs_pipeline_version_id_pipeline_versions_id_fk FOREIGN KEY (pipeline_version_id) REFERENCES public.pipeline_versions(id);

ALTER TABLE ONLY public.pipeline_schedules
    ADD CONSTRAINT pipeline_schedules_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.pipeline_schedules
    ADD CONSTRAINT pipeline_schedules_pipeline_id_pipelines_id_fk FOREIGN KEY (pipeline_id) REFERENCES public.pipelines(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.pipeline_step_executions
    ADD CONSTRAINT pipeline_step_executions_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.pipeline_step_executions
    ADD CONSTRAINT pipeline_step_executions_pipeline_run_id_pipeline_runs_id_fk FOREIGN KEY (pipeline_run_id) REFERENCES public.pipeline_runs(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.pipeline_step_executions
    ADD CONSTRAINT pipeline_step_executions_stack_id_stacks_id_fk FOREIGN KEY (stack_id) REFERENCES public.stacks(id);

ALTER TABLE ONLY public.pipeline_versions
    ADD CONSTRAINT pipeline_versions_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.pipeline_versions
    ADD CONSTRAINT pipeline_versions_pipeline_id_pipelines_id_fk FOREIGN KEY (pipeline_id) REFERENCES public.pipelines(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.pipelines
    ADD CONSTRAINT pipelines_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.pipelines
    ADD CONSTRAINT pipelines_project_id_projects_id_fk FOREIGN KEY (project_id) REFERENCES public.projects(id);

ALTER TABLE ONLY public.policies
    ADD CONSTRAINT policies_environment_id_environments_id_fk FOREIGN KEY (environment_id) REFERENCES public.environments(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.policies
    ADD CONSTRAINT policies_module_instance_id_module_instances_id_fk FOREIGN KEY (module_instance_id) REFERENCES public.module_instances(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.policies
    ADD CONSTRAINT policies_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.policies
    ADD CONSTRAINT policies_project_id_projects_id_fk FOREIGN KEY (project_id) REFERENCES public.projects(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.policy_overrides
    ADD CONSTRAINT policy_overrides_environment_id_environments_id_fk FOREIGN KEY (environment_id) REFERENCES public.environments(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.policy_overrides
    ADD CONSTRAINT policy_overrides_module_instance_id_module_instances_id_fk FOREIGN KEY (module_instance_id) REFERENCES public.module_instances(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.policy_overrides
    ADD CONSTRAINT policy_overrides_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.policy_overrides
    ADD CONSTRAINT policy_overrides_pipeline_id_pipelines_id_fk FOREIGN KEY (pipeline_id) REFERENCES public.pipelines(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.policy_overrides
    ADD CONSTRAINT policy_overrides_policy_id_policies_id_fk FOREIGN KEY (policy_id) REFERENCES public.policies(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.policy_overrides
    ADD CONSTRAINT policy_overrides_project_id_projects_id_fk FOREIGN KEY (project_id) REFERENCES public.projects(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.policy_versions
    ADD CONSTRAINT policy_versions_environment_id_environments_id_fk FOREIGN KEY (environment_id) REFERENCES public.environments(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.policy_versions
    ADD CONSTRAINT policy_versions_module_instance_id_module_instances_id_fk FOREIGN KEY (module_instance_id) REFERENCES public.module_instances(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.policy_versions
    ADD CONSTRAINT policy_versions_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.policy_versions
    ADD CONSTRAINT policy_versions_policy_id_policies_id_fk FOREIGN KEY (policy_id) REFERENCES public.policies(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.policy_versions
    ADD CONSTRAINT policy_versions_project_id_projects_id_fk FOREIGN KEY (project_id) REFERENCES public.projects(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.preview_environments
    ADD CONSTRAINT preview_environments_environment_id_environments_id_fk FOREIGN KEY (environment_id) REFERENCES public.environments(id) ON DELETE SET NULL;

ALTER TABLE ONLY public.preview_environments
    ADD CONSTRAINT preview_environments_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.preview_environments
    ADD CONSTRAINT preview_environments_preview_template_id_preview_templates_id_f FOREIGN KEY (preview_template_id) REFERENCES public.preview_templates(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.preview_environments
    ADD CONSTRAINT preview_environments_project_id_projects_id_fk FOREIGN KEY (project_id) REFERENCES public.projects(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.preview_templates
    ADD CONSTRAINT preview_templates_environment_id_environments_id_fk FOREIGN KEY (environment_id) REFERENCES public.environments(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.preview_templates
    ADD CONSTRAINT preview_templates_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.preview_templates
    ADD CONSTRAINT preview_templates_pipeline_id_pipelines_id_fk FOREIGN KEY (pipeline_id) REFERENCES public.pipelines(id) ON DELETE SET NULL;

ALTER TABLE ONLY public.preview_templates
    ADD CONSTRAINT preview_templates_project_id_projects_id_fk FOREIGN KEY (project_id) REFERENCES public.projects(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.price_lists
    ADD CONSTRAINT price_lists_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.projects
    ADD CONSTRAINT projects_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.promotion_rules
    ADD CONSTRAINT promotion_rules_environment_id_environments_id_fk FOREIGN KEY (environment_id) REFERENCES public.environments(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.promotion_rules
    ADD CONSTRAINT promotion_rules_from_environment_id_environments_id_fk FOREIGN KEY (from_environment_id) REFERENCES public.environments(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.promotion_rules
    ADD CONSTRAINT promotion_rules_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.promotion_rules
    ADD CONSTRAINT promotion_rules_project_id_projects_id_fk FOREIGN KEY (project_id) REFERENCES public.projects(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.promotions
    ADD CONSTRAINT promotions_environment_id_environments_id_fk FOREIGN KEY (environment_id) REFERENCES public.environments(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.promotions
    ADD CONSTRAINT promotions_from_environment_id_environments_id_fk FOREIGN KEY (from_environment_id) REFERENCES public.environments(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.promotions
    ADD CONSTRAINT promotions_module_instance_id_module_instances_id_fk FOREIGN KEY (module_instance_id) REFERENCES public.module_instances(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.promotions
    ADD CONSTRAINT promotions_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.promotions
    ADD CONSTRAINT promotions_project_id_projects_id_fk FOREIGN KEY (project_id) REFERENCES public.projects(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.promotions
    ADD CONSTRAINT promotions_promotion_rule_id_promotion_rules_id_fk FOREIGN KEY (promotion_rule_id) REFERENCES public.promotion_rules(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.records_in_files
    ADD CONSTRAINT records_in_files_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.records_in_files
    ADD CONSTRAINT records_in_files_project_id_applied_files_project_id_fk FOREIGN KEY (project_id) REFERENCES public.applied_files(project_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.rehearsals
    ADD CONSTRAINT rehearsals_environment_id_environments_id_fk FOREIGN KEY (environment_id) REFERENCES public.environments(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.rehearsals
    ADD CONSTRAINT rehearsals_module_instance_id_module_instances_id_fk FOREIGN KEY (module_instance_id) REFERENCES public.module_instances(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.rehearsals
    ADD CONSTRAINT rehearsals_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.rehearsals
    ADD CONSTRAINT rehearsals_project_id_projects_id_fk FOREIGN KEY (project_id) REFERENCES public.projects(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.role_grants
    ADD CONSTRAINT role_grants_environment_id_environments_id_fk FOREIGN KEY (environment_id) REFERENCES public.environments(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.role_grants
    ADD CONSTRAINT role_grants_membership_id_memberships_id_fk FOREIGN KEY (membership_id) REFERENCES public.memberships(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.role_grants
    ADD CONSTRAINT role_grants_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.role_grants
    ADD CONSTRAINT role_grants_project_id_projects_id_fk FOREIGN KEY (project_id) REFERENCES public.projects(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.role_grants
    ADD CONSTRAINT role_grants_service_account_id_service_accounts_id_fk FOREIGN KEY (service_account_id) REFERENCES public.service_accounts(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.role_grants
    ADD CONSTRAINT role_grants_team_id_teams_id_fk FOREIGN KEY (team_id) REFERENCES public.teams(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.runner_tasks
    ADD CONSTRAINT runner_tasks_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.runner_tasks
    ADD CONSTRAINT runner_tasks_step_execution_id_pipeline_step_executions_id_fk FOREIGN KEY (step_execution_id) REFERENCES public.pipeline_step_executions(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.runner_tokens
    ADD CONSTRAINT runner_tokens_execution_environment_id_execution_environments_i FOREIGN KEY (execution_environment_id) REFERENCES public.execution_environments(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.runner_tokens
    ADD CONSTRAINT runner_tokens_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.runner_tools
    ADD CONSTRAINT runner_tools_execution_environment_id_execution_environments_id FOREIGN KEY (execution_environment_id) REFERENCES public.execution_environments(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.runners
    ADD CONSTRAINT runners_execution_environment_id_execution_environments_id_fk FOREIGN KEY (execution_environment_id) REFERENCES public.execution_environments(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.runners
    ADD CONSTRAINT runners_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.saved_views
    ADD CONSTRAINT saved_views_membership_id_memberships_id_fk FOREIGN KEY (membership_id) REFERENCES public.memberships(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.saved_views
    ADD CONSTRAINT saved_views_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.service_account_trusts
    ADD CONSTRAINT service_account_trusts_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.service_account_trusts
    ADD CONSTRAINT service_account_trusts_service_account_id_service_accounts_id_f FOREIGN KEY (service_account_id) REFERENCES public.service_accounts(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.service_accounts
    ADD CONSTRAINT service_accounts_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_identity_id_identities_id_fk FOREIGN KEY (identity_id) REFERENCES public.identities(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_membership_id_memberships_id_fk FOREIGN KEY (membership_id) REFERENCES public.memberships(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.sign_in_domains
    ADD CONSTRAINT sign_in_domains_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.sign_in_policies
    ADD CONSTRAINT sign_in_policies_break_glass_membership_id_memberships_id_fk FOREIGN KEY (break_glass_membership_id) REFERENCES public.memberships(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.sign_in_policies
    ADD CONSTRAINT sign_in_policies_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.slack_accounts
    ADD CONSTRAINT slack_accounts_membership_id_memberships_id_fk FOREIGN KEY (membership_id) REFERENCES public.memberships(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.slack_accounts
    ADD CONSTRAINT slack_accounts_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.slack_presses
    ADD CONSTRAINT slack_presses_channel_id_notification_channels_id_fk FOREIGN KEY (channel_id) REFERENCES public.notification_channels(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.slack_presses
    ADD CONSTRAINT slack_presses_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.spent_git_states
    ADD CONSTRAINT spent_git_states_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.stack_drifts
    ADD CONSTRAINT stack_drifts_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.stack_drifts
    ADD CONSTRAINT stack_drifts_pipeline_id_pipelines_id_fk FOREIGN KEY (pipeline_id) REFERENCES public.pipelines(id) ON DELETE SET NULL;

ALTER TABLE ONLY public.stack_drifts
    ADD CONSTRAINT stack_drifts_stack_id_stacks_id_fk FOREIGN KEY (stack_id) REFERENCES public.stacks(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.stack_workspaces
    ADD CONSTRAINT stack_workspaces_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.stack_workspaces
    ADD CONSTRAINT stack_workspaces_stack_id_stacks_id_fk FOREIGN KEY (stack_id) REFERENCES public.stacks(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.stacks
    ADD CONSTRAINT stacks_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.stacks
    ADD CONSTRAINT stacks_project_id_projects_id_fk FOREIGN KEY (project_id) REFERENCES public.projects(id);

ALTER TABLE ONLY public.step_approvals
    ADD CONSTRAINT step_approvals_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.step_approvals
    ADD CONSTRAINT step_approvals_step_execution_id_pipeline_step_executions_id_fk FOREIGN KEY (step_execution_id) REFERENCES public.pipeline_step_executions(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.step_artifact_pieces
    ADD CONSTRAINT step_artifact_pieces_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.step_artifact_pieces
    ADD CONSTRAINT step_artifact_pieces_step_artifact_id_step_artifacts_id_fk FOREIGN KEY (step_artifact_id) REFERENCES public.step_artifacts(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.step_artifacts
    ADD CONSTRAINT step_artifacts_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.step_artifacts
    ADD CONSTRAINT step_artifacts_pipeline_run_id_pipeline_runs_id_fk FOREIGN KEY (pipeline_run_id) REFERENCES public.pipeline_runs(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.step_artifacts
    ADD CONSTRAINT step_artifacts_step_execution_id_pipeline_step_executions_id_fk FOREIGN KEY (step_execution_id) REFERENCES public.pipeline_step_executions(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.step_log_chunks
    ADD CONSTRAINT step_log_chunks_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.step_log_chunks
    ADD CONSTRAINT step_log_chunks_step_execution_id_pipeline_step_executions_id_f FOREIGN KEY (step_execution_id) REFERENCES public.pipeline_step_executions(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.team_members
    ADD CONSTRAINT team_members_membership_id_memberships_id_fk FOREIGN KEY (membership_id) REFERENCES public.memberships(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.team_members
    ADD CONSTRAINT team_members_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.team_members
    ADD CONSTRAINT team_members_provider_id_identity_providers_id_fk FOREIGN KEY (provider_id) REFERENCES public.identity_providers(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.team_members
    ADD CONSTRAINT team_members_service_account_id_service_accounts_id_fk FOREIGN KEY (service_account_id) REFERENCES public.service_accounts(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.team_members
    ADD CONSTRAINT team_members_team_id_teams_id_fk FOREIGN KEY (team_id) REFERENCES public.teams(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.teams
    ADD CONSTRAINT teams_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.watched_pull_requests
    ADD CONSTRAINT watched_pull_requests_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.watched_pull_requests
    ADD CONSTRAINT watched_pull_requests_project_id_projects_id_fk FOREIGN KEY (project_id) REFERENCES public.projects(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.watched_pull_requests
    ADD CONSTRAINT watched_pull_requests_watched_repository_id_watched_repositorie FOREIGN KEY (watched_repository_id) REFERENCES public.watched_repositories(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.watched_repositories
    ADD CONSTRAINT watched_repositories_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.watched_repositories
    ADD CONSTRAINT watched_repositories_project_id_projects_id_fk FOREIGN KEY (project_id) REFERENCES public.projects(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.watched_repositories
    ADD CONSTRAINT watched_repositories_service_account_id_service_accounts_id_fk FOREIGN KEY (service_account_id) REFERENCES public.service_accounts(id) ON DELETE SET NULL;

ALTER TABLE public.api_keys ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.applied_files ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.approval_delegations ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.approval_rules ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.archive_removals ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.archived_step_logs ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.artifact_retentions ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.artifacts ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.audit_chain ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.audit_events ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.audit_events_to_tell ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.audit_heads ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.backup_reports ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.certificates ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.changes ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.cloud_accounts ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.cloud_connections ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.code_sources ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.default_value_definitions ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.default_values ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.deployment_approvals ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.deployment_archives ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.deployment_resources ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.deployments ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.device_sign_ins ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.domains ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.encryption_keys ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.environment_networks ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.environments ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.event_queues ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.execution_assignments ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.execution_environments ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.favourites ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.freeze_overrides ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.freezes ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.git_deliveries ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.git_feedback ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.git_releases ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.githosta_installations ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.githostb_connections ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.githostb_instances ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.hold_rules ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.holds ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.iac_plans ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.iac_resources ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.iac_state_versions ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.idempotent_answers ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.identities ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.identity_providers ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.inboxes ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.infrastructure_events ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.invitations ENABLE ROW LEVEL SECURITY;

CREATE POLICY members ON public.users FOR SELECT TO sluice_tenant USING ((EXISTS ( SELECT
   FROM public.memberships m
  WHERE ((m.user_id = users.id) AND (m.organization_id = public.current_organization())))));

ALTER TABLE public.memberships ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.module_definitions ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.module_instance_applies ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.module_instance_references ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.module_instances ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.module_versions ENABLE ROW LEVEL SECURITY;

CREATE POLICY not_hidden ON public.applied_files AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE ((ARRAY[project_id] && ( SELECT public.hidden_places() AS hidden_places)) IS NOT TRUE)
END);

CREATE POLICY not_hidden ON public.approval_rules AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE ((ARRAY[project_id, environment_id] && ( SELECT public.hidden_places() AS hidden_places)) IS NOT TRUE)
END);

CREATE POLICY not_hidden ON public.archived_step_logs AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE public.is_step_shown(step_execution_id, ( SELECT public.hidden_places() AS hidden_places))
END);

CREATE POLICY not_hidden ON public.artifacts AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE ((ARRAY[project_id, environment_id] && ( SELECT public.hidden_places() AS hidden_places)) IS NOT TRUE)
END);

CREATE POLICY not_hidden ON public.audit_events AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE ((ARRAY[project_id, environment_id] && ( SELECT public.hidden_places() AS hidden_places)) IS NOT TRUE)
END);

CREATE POLICY not_hidden ON public.default_values AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE ((parent_id = ANY (( SELECT public.hidden_places() AS hidden_places)::text[])) IS NOT TRUE)
END);

CREATE POLICY not_hidden ON public.deployment_approvals AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE ((ARRAY[project_id, environment_id] && ( SELECT public.hidden_places() AS hidden_places)) IS NOT TRUE)
END);

CREATE POLICY not_hidden ON public.deployment_archives AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE ((ARRAY[project_id] && ( SELECT public.hidden_places() AS hidden_places)) IS NOT TRUE)
END);

CREATE POLICY not_hidden ON public.deployment_resources AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE ((ARRAY[project_id, environment_id] && ( SELECT public.hidden_places() AS hidden_places)) IS NOT TRUE)
END);

CREATE POLICY not_hidden ON public.deployments AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE ((ARRAY[project_id, environment_id] && ( SELECT public.hidden_places() AS hidden_places)) IS NOT TRUE)
END);

CREATE POLICY not_hidden ON public.domains AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE ((ARRAY[project_id, environment_id] && ( SELECT public.hidden_places() AS hidden_places)) IS NOT TRUE)
END);

CREATE POLICY not_hidden ON public.environment_networks AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE ((ARRAY[project_id, environment_id] && ( SELECT public.hidden_places() AS hidden_places)) IS NOT TRUE)
END);

CREATE POLICY not_hidden ON public.environments AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE ((ARRAY[id, project_id] && ( SELECT public.hidden_places() AS hidden_places)) IS NOT TRUE)
END);

CREATE POLICY not_hidden ON public.execution_assignments AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE ((ARRAY[project_id, environment_id] && ( SELECT public.hidden_places() AS hidden_places)) IS NOT TRUE)
END);

CREATE POLICY not_hidden ON public.freeze_overrides AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE ((ARRAY[project_id, environment_id] && ( SELECT public.hidden_places() AS hidden_places)) IS NOT TRUE)
END);

CREATE POLICY not_hidden ON public.freezes AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE ((ARRAY[project_id, environment_id] && ( SELECT public.hidden_places() AS hidden_places)) IS NOT TRUE)
END);

CREATE POLICY not_hidden ON public.git_feedback AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE (NOT (pipeline_id IN ( SELECT public.hidden_pipelines() AS hidden_pipelines)))
END);

CREATE POLICY not_hidden ON public.git_releases AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE ((ARRAY[environment_id] && ( SELECT public.hidden_places() AS hidden_places)) IS NOT TRUE)
END);

CREATE POLICY not_hidden ON public.hold_rules AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE ((ARRAY[project_id, environment_id] && ( SELECT public.hidden_places() AS hidden_places)) IS NOT TRUE)
END);

CREATE POLICY not_hidden ON public.holds AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE ((ARRAY[project_id, environment_id] && ( SELECT public.hidden_places() AS hidden_places)) IS NOT TRUE)
END);

CREATE POLICY not_hidden ON public.iac_plans AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE ((NOT (stack_id IN ( SELECT public.hidden_stacks() AS hidden_stacks))) AND public.is_run_shown(pipeline_run_id, ( SELECT public.hidden_places() AS hidden_places)))
END);

CREATE POLICY not_hidden ON public.iac_resources AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE ((NOT (stack_id IN ( SELECT public.hidden_stacks() AS hidden_stacks))) AND (NOT (pipeline_id IN ( SELECT public.hidden_pipelines() AS hidden_pipelines))) AND public.is_run_shown(pipeline_run_id, ( SELECT public.hidden_places() AS hidden_places)))
END);

CREATE POLICY not_hidden ON public.iac_state_versions AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE (NOT (workspace_id IN ( SELECT public.hidden_workspaces() AS hidden_workspaces)))
END);

CREATE POLICY not_hidden ON public.infrastructure_events AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE (resource_arn IN ( SELECT public.shown_arns() AS shown_arns))
END);

CREATE POLICY not_hidden ON public.module_instances AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE ((ARRAY[project_id, environment_id] && ( SELECT public.hidden_places() AS hidden_places)) IS NOT TRUE)
END);

CREATE POLICY not_hidden ON public.notification_channels AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE ((project_id = ANY (( SELECT public.hidden_places() AS hidden_places)::text[])) IS NOT TRUE)
END);

CREATE POLICY not_hidden ON public.notification_events AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE ((ARRAY[project_id, environment_id] && ( SELECT public.hidden_places() AS hidden_places)) IS NOT TRUE)
END);

CREATE POLICY not_hidden ON public.pipeline_run_numbers AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE (NOT (pipeline_id IN ( SELECT public.hidden_pipelines() AS hidden_pipelines)))
END);

CREATE POLICY not_hidden ON public.pipeline_runs AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE ((NOT (pipeline_id IN ( SELECT public.hidden_pipelines() AS hidden_pipelines))) AND ((module_instance_id IN ( SELECT public.hidden_instances() AS hidden_instances)) IS NOT TRUE))
END);

CREATE POLICY not_hidden ON public.pipeline_schedules AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE (NOT (pipeline_id IN ( SELECT public.hidden_pipelines() AS hidden_pipelines)))
END);

CREATE POLICY not_hidden ON public.pipeline_step_executions AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE public.is_run_shown(pipeline_run_id, ( SELECT public.hidden_places() AS hidden_places))
END);

CREATE POLICY not_hidden ON public.pipeline_versions AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE (NOT (pipeline_id IN ( SELECT public.hidden_pipelines() AS hidden_pipelines)))
END);

CREATE POLICY not_hidden ON public.pipelines AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE ((project_id = ANY (( SELECT public.hidden_places() AS hidden_places)::text[])) IS NOT TRUE)
END);

CREATE POLICY not_hidden ON public.policies AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE ((ARRAY[project_id, environment_id] && ( SELECT public.hidden_places() AS hidden_places)) IS NOT TRUE)
END);

CREATE POLICY not_hidden ON public.policy_overrides AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE ((ARRAY[project_id, environment_id] && ( SELECT public.hidden_places() AS hidden_places)) IS NOT TRUE)
END);

CREATE POLICY not_hidden ON public.policy_versions AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE ((ARRAY[project_id, environment_id] && ( SELECT public.hidden_places() AS hidden_places)) IS NOT TRUE)
END);

CREATE POLICY not_hidden ON public.preview_environments AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE ((ARRAY[project_id, environment_id] && ( SELECT public.hidden_places() AS hidden_places)) IS NOT TRUE)
END);

CREATE POLICY not_hidden ON public.preview_templates AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE ((ARRAY[project_id, environment_id] && ( SELECT public.hidden_places() AS hidden_places)) IS NOT TRUE)
END);

CREATE POLICY not_hidden ON public.projects AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE ((id = ANY (( SELECT public.hidden_places() AS hidden_places)::text[])) IS NOT TRUE)
END);

CREATE POLICY not_hidden ON public.promotion_rules AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE ((ARRAY[project_id, from_environment_id, environment_id] && ( SELECT public.hidden_places() AS hidden_places)) IS NOT TRUE)
END);

CREATE POLICY not_hidden ON public.promotions AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE ((ARRAY[project_id, from_environment_id, environment_id] && ( SELECT public.hidden_places() AS hidden_places)) IS NOT TRUE)
END);

CREATE POLICY not_hidden ON public.records_in_files AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE (((environment_ids || project_id) && ( SELECT public.hidden_places() AS hidden_places)) IS NOT TRUE)
END);

CREATE POLICY not_hidden ON public.rehearsals AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE ((ARRAY[project_id, environment_id] && ( SELECT public.hidden_places() AS hidden_places)) IS NOT TRUE)
END);

CREATE POLICY not_hidden ON public.role_grants AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE ((ARRAY[project_id, environment_id] && ( SELECT public.hidden_places() AS hidden_places)) IS NOT TRUE)
END);

CREATE POLICY not_hidden ON public.runner_tasks AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE public.is_step_shown(step_execution_id, ( SELECT public.hidden_places() AS hidden_places))
END);

CREATE POLICY not_hidden ON public.stack_drifts AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE (NOT (stack_id IN ( SELECT public.hidden_stacks() AS hidden_stacks)))
END);

CREATE POLICY not_hidden ON public.stack_workspaces AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE (NOT (stack_id IN ( SELECT public.hidden_stacks() AS hidden_stacks)))
END);

CREATE POLICY not_hidden ON public.stacks AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE (NOT (id IN ( SELECT public.hidden_stacks() AS hidden_stacks)))
END);

CREATE POLICY not_hidden ON public.step_approvals AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE public.is_run_shown(pipeline_run_id, ( SELECT public.hidden_places() AS hidden_places))
END);

CREATE POLICY not_hidden ON public.step_artifact_pieces AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE (step_artifact_id IN ( SELECT step_artifacts.id
       FROM public.step_artifacts))
END);

CREATE POLICY not_hidden ON public.step_artifacts AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE public.is_step_shown(step_execution_id, ( SELECT public.hidden_places() AS hidden_places))
END);

CREATE POLICY not_hidden ON public.step_log_chunks AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE public.is_step_shown(step_execution_id, ( SELECT public.hidden_places() AS hidden_places))
END);

CREATE POLICY not_hidden ON public.watched_pull_requests AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE ((ARRAY[project_id] && ( SELECT public.hidden_places() AS hidden_places)) IS NOT TRUE)
END);

CREATE POLICY not_hidden ON public.watched_repositories AS RESTRICTIVE FOR SELECT TO sluice_tenant USING (
CASE
    WHEN (( SELECT public.hidden_places() AS hidden_places) = '{}'::text[]) THEN true
    ELSE ((ARRAY[project_id] && ( SELECT public.hidden_places() AS hidden_places)) IS NOT TRUE)
END);

ALTER TABLE public.notification_channels ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.notification_deliveries ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.notification_events ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.notification_positions ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.organizations ENABLE ROW LEVEL SECURITY;

CREATE POLICY own_or_shared ON public.runner_tools FOR SELECT TO sluice_tenant USING (((execution_environment_id IS NULL) OR (execution_environment_id IN ( SELECT execution_environments.id
   FROM public.execution_environments))));

CREATE POLICY own_organization ON public.api_keys TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.applied_files TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.approval_delegations TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.approval_rules TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.archived_step_logs TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.artifact_retentions TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.artifacts TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.audit_chain TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.audit_events TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.audit_events_to_tell TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.audit_heads TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.certificates TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.changes TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.cloud_accounts TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.cloud_connections TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.code_sources TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.default_value_definitions TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.default_values TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.deployment_approvals TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.deployment_archives TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.deployment_resources TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.deployments TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.domains TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.environment_networks TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.environments TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.event_queues TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.execution_assignments TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.execution_environments TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.favourites TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.freeze_overrides TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.freezes TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.git_feedback TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.git_releases TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.githosta_installations TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.githostb_connections TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.githostb_instances TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.hold_rules TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.holds TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.iac_plans TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.iac_resources TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.iac_state_versions TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.idempotent_answers TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.identity_providers TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.inboxes TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.infrastructure_events TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.invitations TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.memberships TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.module_definitions TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.module_instance_applies TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.module_instance_references TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.module_instances TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.module_versions TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.notification_channels TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.notification_deliveries TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.notification_events TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.notification_positions TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.organizations TO sluice_tenant USING ((id = public.current_organization()));

CREATE POLICY own_organization ON public.pipeline_run_numbers TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.pipeline_runs TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.pipeline_schedules TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.pipeline_step_executions TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.pipeline_versions TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.pipelines TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.policies TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.policy_overrides TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.policy_versions TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.preview_environments TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.preview_templates TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.price_lists TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.projects TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.promotion_rules TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.promotions TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.records_in_files TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.rehearsals TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.role_grants TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.row_counts TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.runner_tasks TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.runner_tokens TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.runners TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.saved_views TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.search_words TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.service_account_trusts TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.service_accounts TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.sessions TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.sign_in_domains TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.sign_in_policies TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.slack_accounts TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.slack_presses TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.spent_git_states TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.stack_drifts TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.stack_workspaces TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.stacks TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.step_approvals TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.step_artifact_pieces TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.step_artifacts TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.step_log_chunks TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.team_members TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.teams TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.watched_pull_requests TO sluice_tenant USING ((organization_id = public.current_organization()));

CREATE POLICY own_organization ON public.watched_repositories TO sluice_tenant USING ((organization_id = public.current_organization()));

ALTER TABLE public.pipeline_run_numbers ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.pipeline_runs ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.pipeline_schedules ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.pipeline_step_executions ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.pipeline_versions ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.pipelines ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.policies ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.policy_overrides ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.policy_versions ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.preview_environments ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.preview_templates ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.price_lists ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.projects ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.promotion_rules ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.promotions ENABLE ROW LEVEL SECURITY;

CREATE POLICY published_to_all ON public.module_definitions FOR SELECT TO sluice_tenant USING (is_global_published);

CREATE POLICY published_to_all ON public.module_versions FOR SELECT TO sluice_tenant USING ((EXISTS ( SELECT
   FROM public.module_definitions d
  WHERE ((d.id = module_versions.module_definition_id) AND d.is_global_published))));

ALTER TABLE public.records_in_files ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.rehearsals ENABLE ROW LEVEL SECURITY;

CREATE POLICY retention ON public.audit_chain TO sluice_audit_retention USING (true);

CREATE POLICY retention ON public.audit_events TO sluice_audit_retention USING (true);

CREATE POLICY retention ON public.row_counts TO sluice_audit_retention USING (true);

ALTER TABLE public.role_grants ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.row_counts ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.runner_tasks ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.runner_tokens ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.runner_tools ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.runners ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.saved_views ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.search_words ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.service_account_trusts ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.service_accounts ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.sessions ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.sign_in_domains ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.sign_in_policies ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.slack_accounts ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.slack_presses ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.spent_git_states ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.spent_tokens ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.stack_drifts ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.stack_workspaces ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.stacks ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.step_approvals ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.step_artifact_pieces ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.step_artifacts ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.step_log_chunks ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.team_members ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.teams ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.users ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.watched_pull_requests ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.watched_repositories ENABLE ROW LEVEL SECURITY;
