CREATE FUNCTION public.refuse_change_of_final_deployment() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  RAISE EXCEPTION 'deployment % is % and can no longer change', OLD.id, OLD.status USING ERRCODE = 'check_violation';
END
$$;

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
    revoked_at timestamp(3) with time zone
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
    latest_role_version text,
    latest_role_version_description text,
    external_id text NOT NULL,
    event_secret_hash text
);

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
    CONSTRAINT deployments_status_known CHECK ((status = ANY (ARRAY['PENDING'::text, 'IN_PROGRESS'::text, 'SUCCESS'::text, 'ERROR'::text, 'CANCELLED'::text, 'ROLLING_BACK'::text, 'ROLLED_BACK'::text]))),
    CONSTRAINT deployments_waiting_says_why CHECK ((((wake_at IS NULL) = (deadline_at IS NULL)) AND ((wake_at IS NULL) = (waiting_for IS NULL)))),
    CONSTRAINT deployments_wake_until_final CHECK (((status = ANY (ARRAY['SUCCESS'::text, 'ERROR'::text, 'CANCELLED'::text, 'ROLLED_BACK'::text])) = ((wake_at IS NULL) AND (deadline_at IS NULL) AND (waiting_for IS NULL))))
);

CREATE TABLE public.environments (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    project_id text NOT NULL,
    given_id text NOT NULL,
    name text NOT NULL,
    description text
);

CREATE TABLE public.identities (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    user_id text NOT NULL,
    type text NOT NULL,
    password_hash text NOT NULL
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
    event jsonb NOT NULL
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
    stack_id text
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

CREATE TABLE public.organizations (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    name text NOT NULL,
    given_id text NOT NULL
);

CREATE TABLE public.projects (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    given_id text NOT NULL,
    name text NOT NULL,
    description text
);

CREATE TABLE public.service_accounts (
    id text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    organization_id text NOT NULL,
    name text NOT NULL,
    role text NOT NULL
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

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_token_hash_unique UNIQUE (token_hash);

ALTER TABLE ONLY public.cloud_accounts
    ADD CONSTRAINT cloud_accounts_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.deployments
    ADD CONSTRAINT deployments_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.environments
    ADD CONSTRAINT environments_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.identities
    ADD CONSTRAINT identities_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.infrastructure_events
    ADD CONSTRAINT infrastructure_events_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.module_definitions
    ADD CONSTRAINT module_definitions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.module_instances
    ADD CONSTRAINT module_instances_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.module_versions
    ADD CONSTRAINT module_versions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.organizations
    ADD CONSTRAINT organizations_given_id_unique UNIQUE (given_id);

ALTER TABLE ONLY public.organizations
    ADD CONSTRAINT organizations_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.projects
    ADD CONSTRAINT projects_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.service_accounts
    ADD CONSTRAINT service_accounts_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_email_unique UNIQUE (email);

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);

CREATE INDEX api_keys_organization ON public.api_keys USING btree (organization_id);

CREATE INDEX cloud_accounts_organization_cloud_id ON public.cloud_accounts USING btree (organization_id, cloud_id);

CREATE UNIQUE INDEX cloud_accounts_organization_given_id ON public.cloud_accounts USING btree (organization_id, given_id);

CREATE INDEX deployments_module_instance ON public.deployments USING btree (module_instance_id, id);

CREATE UNIQUE INDEX deployments_one_active ON public.deployments USING btree (module_instance_id) WHERE (status = ANY (ARRAY['IN_PROGRESS'::text, 'ROLLING_BACK'::text]));

CREATE INDEX deployments_organization ON public.deployments USING btree (organization_id, id);

CREATE INDEX deployments_resource_arn ON public.deployments USING btree (organization_id, resource_arn) WHERE (wake_at IS NOT NULL);

CREATE INDEX deployments_wake ON public.deployments USING btree (wake_at) WHERE (wake_at IS NOT NULL);

CREATE UNIQUE INDEX environments_project_given_id ON public.environments USING btree (project_id, given_id);

CREATE UNIQUE INDEX identities_user_type ON public.identities USING btree (user_id, type);

CREATE UNIQUE INDEX infrastructure_events_once ON public.infrastructure_events USING btree (cloud_account_id, external_event_id);

CREATE INDEX infrastructure_events_organization ON public.infrastructure_events USING btree (organization_id, id);

CREATE UNIQUE INDEX memberships_organization_user ON public.memberships USING btree (organization_id, user_id);

CREATE INDEX memberships_user ON public.memberships USING btree (user_id);

CREATE INDEX module_definitions_global ON public.module_definitions USING btree (is_global_published);

CREATE UNIQUE INDEX module_definitions_organization_type ON public.module_definitions USING btree (organization_id, type);

CREATE UNIQUE INDEX module_instances_environment_given_id ON public.module_instances USING btree (environment_id, given_id);

CREATE INDEX module_instances_organization ON public.module_instances USING btree (organization_id, id);

CREATE UNIQUE INDEX module_versions_definition_version ON public.module_versions USING btree (module_definition_id, version);

CREATE UNIQUE INDEX projects_organization_given_id ON public.projects USING btree (organization_id, given_id);

CREATE UNIQUE INDEX service_accounts_organization_name ON public.service_accounts USING btree (organization_id, name);

CREATE TRIGGER deployments_final BEFORE UPDATE ON public.deployments FOR EACH ROW WHEN ((old.status = ANY (ARRAY['SUCCESS'::text, 'ERROR'::text, 'CANCELLED'::text, 'ROLLED_BACK'::text]))) EXECUTE FUNCTION public.refuse_change_of_final_deployment();

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_membership_id_memberships_id_fk FOREIGN KEY (membership_id) REFERENCES public.memberships(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_service_account_id_service_accounts_id_fk FOREIGN KEY (service_account_id) REFERENCES public.service_accounts(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.cloud_accounts
    ADD CONSTRAINT cloud_accounts_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.deployments
    ADD CONSTRAINT deployments_environment_id_environments_id_fk FOREIGN KEY (environment_id) REFERENCES public.environments(id);

ALTER TABLE ONLY public.deployments
    ADD CONSTRAINT deployments_module_instance_id_module_instances_id_fk FOREIGN KEY (module_instance_id) REFERENCES public.module_instances(id);

ALTER TABLE ONLY public.deployments
    ADD CONSTRAINT deployments_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.deployments
    ADD CONSTRAINT deployments_project_id_projects_id_fk FOREIGN KEY (project_id) REFERENCES public.projects(id);

ALTER TABLE ONLY public.environments
    ADD CONSTRAINT environments_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.environments
    ADD CONSTRAINT environments_project_id_projects_id_fk FOREIGN KEY (project_id) REFERENCES public.projects(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.identities
    ADD CONSTRAINT identities_user_id_users_id_fk FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.infrastructure_events
    ADD CONSTRAINT infrastructure_events_cloud_account_id_cloud_accounts_id_fk FOREIGN KEY (cloud_account_id) REFERENCES public.cloud_accounts(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.infrastructure_events
    ADD CONSTRAINT infrastructure_events_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_user_id_users_id_fk FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.module_definitions
    ADD CONSTRAINT module_definitions_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

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

ALTER TABLE ONLY public.projects
    ADD CONSTRAINT projects_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.service_accounts
    ADD CONSTRAINT service_accounts_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;
