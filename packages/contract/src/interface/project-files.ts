import { type Static, type TProperties, Type } from 'typebox'
import { CreateExecutionEnvironment, executionEnvironmentKinds } from '../cloud/execution-environment.ts'
import { CreatePromotionRule } from '../delivery/promotion-rule.ts'
import { CreateApprovalRule } from '../gates/approval-rule.ts'
import { CreateFreeze, FreezeWindow } from '../gates/freeze.ts'
import { CreatePolicy, PolicyApproval } from '../gates/policy.ts'
import { grantedRoles } from '../identity/permissions.ts'
import { CreatePreviewTemplate } from '../infrastructure/preview-template.ts'
import { WishedDriftSchedule } from '../infrastructure/stack-drift.ts'
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

/** A document of the files of a project. */
const document = <const K extends string, T extends TProperties>(kind: K, properties: T, description: string) =>
  Type.Object(
    { kind: Type.Literal(kind, { description: 'What the document is about.' }), ...properties },
    { additionalProperties: false, title: kind, description },
  )

const Title = Type.Optional({ ...Name, description: 'Display name; where it is made without one, its name.' })
const described = { title: Title, description: Type.Optional(Description) }
const givenName = { name: NewGivenId, ...described }
const access = { restricted: Type.Optional(Restricted), visibility: Type.Optional(Visibility) }

const EnvironmentName = Type.Optional({ ...GivenId, description: 'In which environment; without, in the project.' })
const { type: ModuleType } = CreateModuleDefinition.properties
const { key: DefaultValueKey, schema: DefaultValueSchema } = CreateDefaultValueDefinition.properties
const freeze = CreateFreeze.properties
const channel = CreateNotificationChannel.properties
const promotion = CreatePromotionRule.properties
const policy = CreatePolicy.properties
const drift = WishedDriftSchedule.properties
const preview = CreatePreviewTemplate.properties
const { requiredApprovals, notStarter } = PolicyApproval.properties
const approvalRule = CreateApprovalRule.properties
const executionEnvironment = CreateExecutionEnvironment.properties
const { cloudAccountId: _, ...network } = DefaultNetwork.properties

const CloudAccountName = { ...GivenId, description: 'The connected account, by its `givenId`.' }
const InstanceName = Type.Optional({ ...GivenId, description: 'Only of a module instance of the environment.' })

/**
 * What the files of a project are made of, by `kind`. Whatever names another record does so by its name; a field that
 * is left out stays as it is in the service.
 */
export const projectDocuments = {
  Project: document('Project', { ...givenName, ...access }, 'The project that all the files are about.'),
  DefaultValueDefinition: document(
    'DefaultValueDefinition',
    {
      name: DefaultValueKey,
      description: Type.Optional(Description),
      schema: DefaultValueSchema,
      isSensitive: CreateDefaultValueDefinition.properties.isSensitive,
    },
    'A key of the organization that may have default values.',
  ),
  ExecutionEnvironment: document(
    'ExecutionEnvironment',
    {
      ...givenName,
      type: Type.Optional(
        Type.Enum(executionEnvironmentKinds, {
          description: 'A place in a cloud account, unless said, or a pool of machines that run `sluice runner`.',
        }),
      ),
      cloudAccount: Type.Optional(CloudAccountName),
      region: executionEnvironment.region,
      network: executionEnvironment.network,
      size: executionEnvironment.size,
      clusterName: executionEnvironment.clusterName,
    },
    'Where the programs of steps may run: it belongs to the organization. Runners get their tokens elsewhere.',
  ),
  Environment: document(
    'Environment',
    {
      ...givenName,
      ...access,
      holdAfterRollback: Type.Optional(
        Type.Union([Type.Boolean(), Type.Literal('WARN')], {
          description:
            'Whether an instance is held by itself when a release to it was rolled back; WARN only notes that it would have been.',
        }),
      ),
      network: Type.Optional(
        Type.Object(
          { cloudAccount: CloudAccountName, ...network },
          { additionalProperties: false, description: 'Where its services are placed unless somebody says otherwise.' },
        ),
      ),
    },
    'An environment of the project.',
  ),
  EnvironmentOrder: document(
    'EnvironmentOrder',
    {
      environments: Type.Array(GivenId, {
        minItems: 1,
        maxItems: 500,
        uniqueItems: true,
        description: 'By name, the first step on the way to users first.',
      }),
    },
    'The order in which a team looks at the environments.',
  ),
  ExecutionAssignment: document(
    'ExecutionAssignment',
    {
      environment: EnvironmentName,
      executionEnvironment: { ...GivenId, description: 'Where the programs of its steps run, by name.' },
    },
    'In which execution environment the steps of the project run, or those of an environment. Each has one at most.',
  ),
  Domain: document(
    'Domain',
    {
      name: CreateDomain.properties.name,
      environment: { ...GivenId, description: 'The environment that it is a name in.' },
      description: CreateDomain.properties.description,
    },
    'A name under which something in an environment is reached. It stays as it was made.',
  ),
  DefaultValue: document(
    'DefaultValue',
    {
      name: { ...DefaultValueKey, description: 'The key.' },
      environment: EnvironmentName,
      value: Type.Unknown({ description: 'A JSON value by the schema of the key; a secret stands in a variable.' }),
    },
    'A default value in the project, or in an environment.',
  ),
  ModuleDefinition: document(
    'ModuleDefinition',
    { name: ModuleType, ...described },
    'A module of the organization, by its type.',
  ),
  ModuleVersion: document(
    'ModuleVersion',
    {
      name: { ...ModuleType, description: 'The module, by its type.' },
      version: SemanticVersion,
      description: Type.Optional(Type.String({ minLength: 1, maxLength: 10_000, description: 'What changed.' })),
      config: { ...FreeFormObject, description: 'As in a file of a module of its own.' },
    },
    'A published version of a module. It never changes: what is another gets another number.',
  ),
  Stack: document('Stack', givenName, 'A stack that pipelines fill. Those of module instances come with them.'),
  ModuleInstance: document(
    'ModuleInstance',
    {
      ...givenName,
      environment: { ...GivenId, description: 'The environment that it is placed in.' },
      module: { ...GivenId, description: 'What it is an instance of, by its type.' },
      version: Type.Optional({ ...SemanticVersion, description: 'Of the module; made without one, the latest.' }),
      input: { ...FreeFormObject, description: 'All its values. They are replaced as a whole.' },
    },
    'A module placed in an environment.',
  ),
  Pipeline: document(
    'Pipeline',
    { ...givenName, config: Type.Optional({ ...FreeFormObject, description: 'What is run from now on.' }) },
    'A pipeline, and the configuration that its newest version has.',
  ),
  DriftSchedule: document(
    'DriftSchedule',
    {
      stack: Type.Optional({ ...GivenId, description: 'The stack that is looked at, or' }),
      environment: Type.Optional({ ...GivenId, description: 'the environment' }),
      instance: Type.Optional({ ...GivenId, description: 'and the module instance whose stack that is.' }),
      cron: drift.cron,
      timeZone: drift.timeZone,
      pipeline: Type.Optional({
        ...GivenId,
        description: 'By name: it looks, by steps of the type iac:drift. Needed for a stack that no instance has.',
      }),
      reconciles: drift.reconciles,
    },
    'When a stack is looked at for what others changed. Each has one at most.',
  ),
  PreviewTemplate: document(
    'PreviewTemplate',
    {
      environment: { ...GivenId, description: 'The template environment, which is copied.' },
      source: Type.String({
        minLength: 1,
        maxLength: 2000,
        description: 'The repository whose pull requests get preview environments: the address of a code source.',
      }),
      branches: preview.branches,
      paths: preview.paths,
      instances: preview.instances,
      inputs: preview.inputs,
      pipeline: Type.Optional({
        ...GivenId,
        description: 'By name: it runs once the infrastructure stands, to build and release.',
      }),
      pipelineInputs: preview.pipelineInputs,
      namePattern: preview.namePattern,
      lifetimeHours: preview.lifetimeHours,
      mostInProject: preview.mostInProject,
      allowsForks: preview.allowsForks,
    },
    'How pull requests of a repository get environments of their own. One of an environment and a repository.',
  ),
  RoleGrant: document(
    'RoleGrant',
    {
      name: Type.String({
        minLength: 1,
        maxLength: 300,
        description: 'The address, or the name, of who has the role.',
      }),
      principalType: Type.Enum(granteeTypes, { description: 'What they are.' }),
      role: Type.Enum(grantedRoles, { description: 'What they may do there.' }),
      environment: EnvironmentName,
    },
    'A role in the project, or in an environment.',
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
    'A time in which nothing is released or applied.',
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
                'By name: only who is in one of these counts; everybody who may approve there, where it is empty.',
            }),
            notStarter,
          },
          {
            additionalProperties: false,
            description: 'Who must approve what violates it, where the effect is REQUIRE_APPROVAL.',
          },
        ),
      ),
      isEnabled: policy.isEnabled,
      rollbacks: policy.rollbacks,
      tests: policy.tests,
    },
    'What must be true of what is released, applied or run. What it guards stays as it was made.',
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
            'By name: only who is in one of these counts; everybody who may approve there, where it is empty.',
        }),
      ),
      notStarter: approvalRule.notStarter,
      notAuthor: approvalRule.notAuthor,
      serviceAccounts: approvalRule.serviceAccounts,
      expiresAfterMinutes: approvalRule.expiresAfterMinutes,
      rollbacks: approvalRule.rollbacks,
      guards: approvalRule.guards,
      mode: approvalRule.mode,
    },
    'Who must approve before something is released there, or a step goes on, and how many of them.',
  ),
  PromotionRule: document(
    'PromotionRule',
    {
      from: { ...GivenId, description: 'The environment that releases come from.' },
      to: { ...GivenId, description: 'The environment that they go to: a later one in the order.' },
      reason: promotion.reason,
      soakMinutes: promotion.soakMinutes,
      start: promotion.start,
      mode: promotion.mode,
    },
    'When releases go on from one environment to a later one. Each such step has one at most.',
  ),
  NotificationChannel: document(
    'NotificationChannel',
    {
      name: Name,
      type: Type.Optional(Type.Enum(channelKinds, { description: 'How it is reached; WEBHOOK, unless said.' })),
      url: Type.Optional(
        Type.String({
          pattern: '^(?:https?://|\\$\\{env:)',
          maxLength: 2000,
          description:
            'WEBHOOK, SLACK and TEAMS: where it is sent to. An address that is a secret stands in a variable, as those of SLACK and TEAMS do.',
        }),
      ),
      routingKey: Type.Optional(
        Type.String({
          pattern: '^(?:[A-Za-z0-9]{32}$|\\$\\{env:)',
          maxLength: 300,
          description: 'PAGERDUTY: the integration key of a service there. It is a secret, so it stands in a variable.',
        }),
      ),
      recipients: Type.Optional(
        Type.Array(Type.String({ pattern: '^[^\\s@<>()",;:\\\\]{1,64}@[A-Za-z0-9.-]{1,189}$' }), {
          minItems: 1,
          maxItems: 20,
          uniqueItems: true,
          description: 'EMAIL: the addresses that it is sent to. Those of members are written to as long as they are.',
        }),
      ),
      team: Type.Optional({ ...Name, description: 'TEAM_MEMBERS: the team whose members are told, by name.' }),
      format: channel.format,
      events: channel.events,
      minimumSeverity: channel.minimumSeverity,
      environments: Type.Optional(
        Type.Array(GivenId, {
          maxItems: 100,
          uniqueItems: true,
          description: 'Only of these; of all where it is empty.',
        }),
      ),
      enabled: channel.enabled,
      quietHours: channel.quietHours,
      digest: channel.digest,
      timeZone: channel.timeZone,
    },
    'Who is told of what happens in the project.',
  ),
} as const

export type ProjectDocumentKind = keyof typeof projectDocuments
export type ProjectDocumentOf<K extends ProjectDocumentKind> = Static<(typeof projectDocuments)[K]>
export type ProjectDocument = { [K in ProjectDocumentKind]: ProjectDocumentOf<K> }[ProjectDocumentKind]

/** In the order in which they are made: what others need comes before them. */
export const projectDocumentKinds = Object.keys(projectDocuments) as ProjectDocumentKind[]
