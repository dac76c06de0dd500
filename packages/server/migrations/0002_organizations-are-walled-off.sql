-- Requests act in a role that owns nothing and sees the rows of one organization: the one in sluice.organization_id.
-- The role belongs to the whole server, so another database may have made it already, even at this moment.
DO $$
BEGIN
  CREATE ROLE sluice_tenant NOLOGIN;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END
$$;
--> statement-breakpoint
DO $$
BEGIN
  EXECUTE format('GRANT sluice_tenant TO %I', current_user);
EXCEPTION WHEN unique_violation OR invalid_grant_operation THEN NULL;
END
$$;
--> statement-breakpoint
GRANT USAGE ON SCHEMA public TO sluice_tenant;
--> statement-breakpoint
CREATE FUNCTION current_organization() RETURNS text LANGUAGE sql STABLE AS $$
  SELECT nullif(current_setting('sluice.organization_id', true), '')
$$;
--> statement-breakpoint
-- Puts a table behind the wall. Every migration that makes a table of an organization's rows calls it.
CREATE FUNCTION wall_off(walled regclass) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', walled);
  EXECUTE format('CREATE POLICY own_organization ON %s TO sluice_tenant USING (organization_id = current_organization())', walled);
  EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO sluice_tenant', walled);
END
$$;
--> statement-breakpoint
SELECT wall_off(name::regclass) FROM unnest(ARRAY[
  'memberships', 'service_accounts', 'api_keys', 'projects', 'environments', 'cloud_accounts', 'module_definitions',
  'module_versions', 'module_instances', 'deployments', 'infrastructure_events']) AS name;
--> statement-breakpoint
-- Definitions that are published to everybody can be read, with their versions, by everybody.
CREATE POLICY published_to_all ON module_definitions FOR SELECT TO sluice_tenant USING (is_global_published);
--> statement-breakpoint
CREATE POLICY published_to_all ON module_versions FOR SELECT TO sluice_tenant USING (
  EXISTS (SELECT FROM module_definitions d WHERE d.id = module_definition_id AND d.is_global_published));
--> statement-breakpoint
ALTER TABLE organizations ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY own_organization ON organizations TO sluice_tenant USING (id = current_organization());
--> statement-breakpoint
GRANT SELECT, UPDATE ON organizations TO sluice_tenant;
--> statement-breakpoint
-- A user is seen by the organizations that the user belongs to. Identities (password hashes) are seen by none.
ALTER TABLE users ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY members ON users FOR SELECT TO sluice_tenant USING (
  EXISTS (SELECT FROM memberships m WHERE m.user_id = users.id AND m.organization_id = current_organization()));
--> statement-breakpoint
GRANT SELECT ON users TO sluice_tenant;
--> statement-breakpoint
ALTER TABLE identities ENABLE ROW LEVEL SECURITY;
