import { type Static, type TProperties, Type } from 'typebox'
import { CreateExecutionEnvironment, executionEnvironmentKinds } from '../cloud/execution-environment.ts'
import { CreatePromotionRule } from '../delivery/promotion-rule.ts'
import { CreateApprovalRule } from '../gates/approval-rule.ts'
import { CreateFreeze, FreezeWindow } from '../gates/freeze.ts'
import { CreatePolicy, PolicyApproval } from '../gates/policy.ts'
import { grantedRoles } from '../identity/permissions.ts'
import { CreatePreviewTemplate } from '../infrastructure/preview-template.ts'
import { DriftScheduleInput } from '../infrastructure/stack-drift.ts'
import { CreateModuleDefinition } from '../modules/module-definition.ts'
import { SemanticVersion } from '../modules/module-version.ts'
import { Description, Name, Restricted, Visibility } from '../modules/naming.ts'
import { CreateNotificationChannel, channelKinds } from '../notifications/notification-channel.ts'
import { CreateDefaultValueDefinition } from '../projects/default-value.ts'
import { CreateDomain } from '../projects/domain.ts'
import { DefaultNetwork } from '../projects/environment-network.ts'
import { granteeTypes } from '../projects/role-grant.ts'
import { FreeFormObject } from '../values/free-form.ts'
import { GivenId, NewGivenId } from '../values/ids.ts'

/** Returns the schema of a document in the files of a project. */
const document = <const K extends string, T extends TProperties>(kind: K, properties: T, description: string) =>
  Type.Object(
    { kind: Type.Literal(kind, { description: 'Kind of the document.' }), ...properties },
    { additionalProperties: false, title: kind, description },
  )

const Title = Type.Optional({ ...Name, description: 'Display name. Defaults to the name.' })
const described = { title: Title, description: Type.Optional(Description) }
const givenName = { name: NewGivenId, ...described }
const access = { restricted: Type.Optional(Restricted), visibility: Type.Optional(Visibility) }

const EnvironmentName = Type.Optional({
  ...GivenId,
  description: 'Name of the environment. If absent, the document applies to the project.',
})
const { type: ModuleType } = CreateModuleDefinition.properties
const { key: DefaultValueKey, schema: DefaultValueSchema } = CreateDefaultValueDefinition.properties
const freeze = CreateFreeze.properties
const channel = CreateNotificationChannel.properties
const promotion = CreatePromotionRule.properties
const policy = CreatePolicy.properties
const drift = DriftScheduleInput.properties
const preview = CreatePreviewTemplate.properties
const { requiredApprovals, excludeStarter } = PolicyApproval.properties
const approvalRule = CreateApprovalRule.properties
const executionEnvironment = CreateExecutionEnvironment.properties
const { cloudAccountId: _, ...network } = DefaultNetwork.properties

const CloudAccountName = { ...GivenId, description: '`givenId` of the connected cloud account.' }
const InstanceName = Type.Optional({
  ...GivenId,
  description:
    'Name of a module instance in the environment. If absent, the document applies to the whole environment.',
})

/**
 * Documents in the files of a project, by `kind`. Documents refer to other resources by name. Absent fields stay
 * unchanged.
 */
export const projectDocuments = {
  Project: document('Project', { ...givenName, ...access }, 'Project that the files describe.'),
  DefaultValueDefinition: document(
    'DefaultValueDefinition',
    {
      name: DefaultValueKey,
      description: Type.Optional(Description),
      schema: DefaultValueSchema,
      isSensitive: CreateDefaultValueDefinition.properties.isSensitive,
    },
    'Key of the organization that can have default values.',
  ),
  ExecutionEnvironment: document(
    'ExecutionEnvironment',
    {
      ...givenName,
      type: Type.Optional(
        Type.Enum(executionEnvironmentKinds, {
          description:
            'Kind of the execution environment: `cloud` starts runners in a cloud account; `runners` is a pool of machines that run `sluice runner`. Defaults to cloud.',
        }),
      ),
      cloudAccount: Type.Optional(CloudAccountName),
      region: executionEnvironment.region,
      network: executionEnvironment.network,
      size: executionEnvironment.size,
      clusterName: executionEnvironment.clusterName,
    },
    'Execution environment of the organization. Registration tokens of runners are created separately.',
  ),
  Environment: document(
    'Environment',
    {
      ...givenName,
      ...access,
      holdAfterRollback: Type.Optional(
        Type.Union([Type.Boolean(), Type.Literal('WARN')], {
          description:
            'Whether to set a hold on a module instance after one of its releases is rolled back. WARN only records that it would have been set.',
        }),
      ),
      network: Type.Optional(
        Type.Object(
          { cloudAccount: CloudAccountName, ...network },
          { additionalProperties: false, description: 'Network that services of the environment use by default.' },
        ),
      ),
    },
    'Environment of the project.',
  ),
  EnvironmentOrder: document(
    'EnvironmentOrder',
    {
      environments: Type.Array(GivenId, {
        minItems: 1,
        maxItems: 500,
        uniqueItems: true,
        description: 'Names of the environments, from the first promotion stage to production.',
      }),
    },
    "Order of the project's environments.",
  ),
  ExecutionAssignment: document(
    'ExecutionAssignment',
    {
      environment: EnvironmentName,
      executionEnvironment: { ...GivenId, description: 'Name of the execution environment.' },
    },
    'Execution environment for the steps of the project or of one of its environments. Each has at most one.',
  ),
  Domain: document(
    'Domain',
    {
      name: CreateDomain.properties.name,
      environment: { ...GivenId, description: 'Name of the environment.' },
      description: CreateDomain.properties.description,
    },
    'Domain name of an environment. It cannot be changed.',
  ),
  DefaultValue: document(
    'DefaultValue',
    {
      name: { ...DefaultValueKey, description: 'Key of the default value.' },
      environment: EnvironmentName,
      value: Type.Unknown({
        description: 'JSON value that matches the schema of the key. Use a variable for a secret.',
      }),
    },
    'Default value of the project or of an environment.',
  ),
  ModuleDefinition: document(
    'ModuleDefinition',
    { name: ModuleType, ...described },
    'Module definition of the organization, by type.',
  ),
  ModuleVersion: document(
    'ModuleVersion',
    {
      name: { ...ModuleType, description: 'Type of the module definition.' },
      version: SemanticVersion,
      description: Type.Optional(
        Type.String({ minLength: 1, maxLength: 10_000, description: 'Description of the changes.' }),
      ),
      config: { ...FreeFormObject, description: "Configuration, as in a module's own file." },
    },
    'Immutable published version of a module definition. A changed configuration needs a new version number.',
  ),
  Stack: document(
    'Stack',
    givenName,
    'Stack used by pipelines. Stacks of module instances are created with the instances.',
  ),
  ModuleInstance: document(
    'ModuleInstance',
    {
      ...givenName,
      environment: { ...GivenId, description: 'Name of the environment.' },
      module: { ...GivenId, description: 'Type of the module definition.' },
      version: Type.Optional({
        ...SemanticVersion,
        description: 'Version of the module. Defaults to the latest version when the instance is created.',
      }),
      input: { ...FreeFormObject, description: 'Complete inputs of the instance. They are replaced as a whole.' },
    },
    'Module instance in an environment.',
  ),
  Pipeline: document(
    'Pipeline',
    { ...givenName, config: Type.Optional({ ...FreeFormObject, description: 'Configuration of the latest version.' }) },
    'Pipeline and the configuration of its latest version.',
  ),
  DriftSchedule: document(
    'DriftSchedule',
    {
      stack: Type.Optional({
        ...GivenId,
        description: 'Name of the stack to check. Alternatively, name an environment and a module instance.',
      }),
      environment: Type.Optional({ ...GivenId, description: 'Name of the environment of the module instance.' }),
      instance: Type.Optional({ ...GivenId, description: 'Name of the module instance whose stack to check.' }),
      cron: drift.cron,
      timeZone: drift.timeZone,
      pipeline: Type.Optional({
        ...GivenId,
        description:
          'Name of a pipeline with steps of the type iac:drift. Required if no module instance owns the stack.',
      }),
      reconciles: drift.reconciles,
    },
    'Schedule of drift checks for a stack. Each stack has at most one.',
  ),
  PreviewTemplate: document(
    'PreviewTemplate',
    {
      environment: { ...GivenId, description: 'Name of the template environment, which is copied.' },
      source: Type.String({
        minLength: 1,
        maxLength: 2000,
        description: 'URL of the code source whose pull requests get preview environments.',
      }),
      branches: preview.branches,
      paths: preview.paths,
      instances: preview.instances,
      inputs: preview.inputs,
      pipeline: Type.Optional({
        ...GivenId,
        description: 'Name of the pipeline that runs after the infrastructure is created, to build and release.',
      }),
      pipelineInputs: preview.pipelineInputs,
      namePattern: preview.namePattern,
      lifetimeHours: preview.lifetimeHours,
      maxPerProject: preview.maxPerProject,
      allowsForks: preview.allowsForks,
    },
    'Template for preview environments of pull requests. Each combination of environment and repository has at most one.',
  ),
  RoleGrant: document(
    'RoleGrant',
    {
      name: Type.String({
        minLength: 1,
        maxLength: 300,
        description: 'Email address of the member, or name of the service account or team.',
      }),
      principalType: Type.Enum(granteeTypes, { description: 'Type of the principal.' }),
      role: Type.Enum(grantedRoles, { description: 'Role of the principal.' }),
      environment: EnvironmentName,
    },
    'Role on the project or on an environment.',
  ),
  Freeze: document(
    'Freeze',
    {
      name: Name,
      environment: EnvironmentName,
      instance: InstanceName,
      reason: freeze.reason,
      window: FreezeWindow,
      stops: freeze.stops,
      mode: freeze.mode,
      onRelease: freeze.onRelease,
      afterwards: freeze.afterwards,
    },
    'Time window in which releases and infrastructure changes are blocked.',
  ),
  Policy: document(
    'Policy',
    {
      name: Name,
      environment: EnvironmentName,
      instance: InstanceName,
      guards: policy.guards,
      description: policy.description,
      expression: policy.expression,
      message: policy.message,
      effect: policy.effect,
      approval: Type.Optional(
        Type.Object(
          {
            requiredApprovals,
            teams: Type.Array(Name, {
              maxItems: 20,
              uniqueItems: true,
              description:
                "Names of the teams whose members' approvals count. If empty, approvals from everyone with permission to approve count.",
            }),
            excludeStarter,
          },
          {
            additionalProperties: false,
            description: 'Approvals required for a violation if the effect is REQUIRE_APPROVAL.',
          },
        ),
      ),
      isEnabled: policy.isEnabled,
      rollbacks: policy.rollbacks,
      tests: policy.tests,
    },
    'Condition that releases, plans or pipeline versions must meet. `guards` cannot be changed.',
  ),
  ApprovalRule: document(
    'ApprovalRule',
    {
      name: Name,
      environment: EnvironmentName,
      instance: InstanceName,
      reason: approvalRule.reason,
      requiredApprovals: approvalRule.requiredApprovals,
      teams: Type.Optional(
        Type.Array(Name, {
          maxItems: 20,
          uniqueItems: true,
          description:
            "Names of the teams whose members' approvals count. If empty, approvals from everyone with permission to approve count.",
        }),
      ),
      excludeStarter: approvalRule.excludeStarter,
      excludeAuthor: approvalRule.excludeAuthor,
      serviceAccounts: approvalRule.serviceAccounts,
      expiresAfterMinutes: approvalRule.expiresAfterMinutes,
      rollbacks: approvalRule.rollbacks,
      guards: approvalRule.guards,
      mode: approvalRule.mode,
    },
    'Rule that requires approvals before a release or a pipeline step starts.',
  ),
  PromotionRule: document(
    'PromotionRule',
    {
      from: { ...GivenId, description: 'Name of the source environment.' },
      to: { ...GivenId, description: 'Name of the target environment. It must come later in the environment order.' },
      reason: promotion.reason,
      soakMinutes: promotion.soakMinutes,
      start: promotion.start,
      mode: promotion.mode,
    },
    'Rule for promotion from one environment to a later one. Each pair of environments can have one rule.',
  ),
  NotificationChannel: document(
    'NotificationChannel',
    {
      name: Name,
      type: Type.Optional(Type.Enum(channelKinds, { description: 'Kind of the channel. Defaults to WEBHOOK.' })),
      url: Type.Optional(
        Type.String({
          pattern: '^(?:https?://|\\$\\{env:)',
          maxLength: 2000,
          description:
            'WEBHOOK, SLACK and TEAMS: destination URL. Use a variable for a secret URL, such as those of SLACK and TEAMS.',
        }),
      ),
      routingKey: Type.Optional(
        Type.String({
          pattern: '^(?:[A-Za-z0-9]{32}$|\\$\\{env:)',
          maxLength: 300,
          description: 'PAGERDUTY: integration key of a service. It is a secret, so use a variable.',
        }),
      ),
      recipients: Type.Optional(
        Type.Array(Type.String({ pattern: '^[^\\s@<>()",;:\\\\]{1,64}@[A-Za-z0-9.-]{1,189}$' }), {
          minItems: 1,
          maxItems: 20,
          uniqueItems: true,
          description: 'EMAIL: addresses of the recipients. Members receive mail only while they remain members.',
        }),
      ),
      team: Type.Optional({ ...Name, description: 'TEAM_MEMBERS: name of the team whose members are notified.' }),
      format: channel.format,
      events: channel.events,
      minimumSeverity: channel.minimumSeverity,
      environments: Type.Optional(
        Type.Array(GivenId, {
          maxItems: 100,
          uniqueItems: true,
          description: 'Names of the environments to include. If empty, all are included.',
        }),
      ),
      enabled: channel.enabled,
      quietHours: channel.quietHours,
      digest: channel.digest,
      timeZone: channel.timeZone,
    },
    'Notification channel of the project.',
  ),
} as const

export type ProjectDocumentKind = keyof typeof projectDocuments
export type ProjectDocumentOf<K extends ProjectDocumentKind> = Static<(typeof projectDocuments)[K]>
export type ProjectDocument = { [K in ProjectDocumentKind]: ProjectDocumentOf<K> }[ProjectDocumentKind]

/** Kinds of documents in the order in which they are applied, so that references exist. */
export const projectDocumentKinds = Object.keys(projectDocuments) as ProjectDocumentKind[]
