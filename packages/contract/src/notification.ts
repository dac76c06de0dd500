import { type Static, type TObject, Type } from 'typebox'
import { certificateStatuses } from './certificate.ts'
import { cloudAccountStatuses } from './cloud-account.ts'
import { DeploymentStatus, triggerSources } from './deployment.ts'
import { Id } from './ids.ts'
import { Name } from './naming.ts'
import { PipelineRunStatus, runTriggerSources } from './pipeline-run.ts'
import { UtcDateTime } from './time.ts'

const closed = { additionalProperties: false } as const

const Named = Type.Object(
  { id: Id, name: Type.String({ description: 'As people call it.' }) },
  { ...closed, description: 'A record and its name at the time.' },
)
const ConsoleUrl = Type.String({ description: 'Where people see it: its page in the console.' })
/** No payload becomes large by what people wrote. */
const cut = 'The first 2,000 characters.'

const common = {
  organizationId: Id,
  url: ConsoleUrl,
  project: Named,
  triggeredBy: Type.Optional(Type.String({ description: `Who asked for it. ${cut}` })),
  message: Type.Optional(Type.String({ description: `What it waits for, in words. ${cut}` })),
  expiresAt: Type.Optional({ ...UtcDateTime, description: 'Of a reminder: until when it waits.' }),
  error: Type.Optional(Type.String({ description: `Why it failed, in words. ${cut}` })),
}

export const DeploymentNotice = Type.Object(
  {
    ...common,
    deploymentId: Id,
    status: DeploymentStatus,
    deploymentType: Type.String({ description: 'What kind of release it is, such as `cloud:ecs`.' }),
    description: Type.String({ description: `What the user said about it. ${cut}` }),
    environment: Named,
    moduleInstance: Named,
    triggerSource: Type.Enum(triggerSources, { description: 'What set it off.' }),
    pipelineRunId: Type.Optional(Id),
  },
  { ...closed, description: 'What is told of a deployment.' },
)
export type DeploymentNotice = Static<typeof DeploymentNotice>

export const PipelineRunNotice = Type.Object(
  {
    ...common,
    pipelineRunId: Id,
    number: Type.Integer({ description: 'What people call the run by: counts up in its pipeline.' }),
    status: PipelineRunStatus,
    pipeline: Named,
    moduleInstanceId: Type.Optional(Id),
    step: Type.Optional(Named),
    triggerSource: Type.Enum(runTriggerSources, { description: 'What set it off.' }),
  },
  { ...closed, description: 'What is told of a run of a pipeline.' },
)
export type PipelineRunNotice = Static<typeof PipelineRunNotice>

export const HoldNotice = Type.Object(
  {
    organizationId: Id,
    holdId: Id,
    url: ConsoleUrl,
    project: Named,
    environment: Named,
    moduleInstance: Type.Optional(Named),
    triggeredBy: Type.String({ description: `Who holds it, or has let it go. ${cut}` }),
    message: Type.Optional(Type.String({ description: `Why, in their words. ${cut}` })),
  },
  { ...closed, description: 'What is told of a hold: of an instance or, where none is named, of an environment.' },
)
export type HoldNotice = Static<typeof HoldNotice>

export const StackNotice = Type.Object(
  {
    organizationId: Id,
    url: { ...ConsoleUrl, description: 'Where people see what has drifted: the run that looked, in the console.' },
    project: Named,
    environment: Type.Optional(Named),
    stack: Named,
    pipelineRunId: { ...Id, description: 'The run that looked.' },
  },
  { ...closed, description: 'What is told of a stack.' },
)
export type StackNotice = Static<typeof StackNotice>

export const CloudAccountNotice = Type.Object(
  {
    organizationId: Id,
    url: ConsoleUrl,
    cloudAccount: Named,
    status: Type.Enum(cloudAccountStatuses, { description: 'What it was found to be then.' }),
    error: Type.Optional(Type.String({ description: `What the cloud says, in words. ${cut}` })),
  },
  { ...closed, description: 'What is told of the connection of a cloud account.' },
)
export type CloudAccountNotice = Static<typeof CloudAccountNotice>

export const CertificateNotice = Type.Object(
  {
    organizationId: Id,
    certificateId: Id,
    url: ConsoleUrl,
    cloudAccount: Named,
    names: Type.Array(Type.String(), { description: 'The names that it is for.' }),
    status: Type.Enum(certificateStatuses, { description: 'What it was found to be then.' }),
    expiresAt: Type.Optional(UtcDateTime),
    error: Type.Optional(Type.String({ description: `Why there is none, in words. ${cut}` })),
  },
  { ...closed, description: 'What is told of a certificate.' },
)
export type CertificateNotice = Static<typeof CertificateNotice>

export const ChannelNotice = Type.Object(
  { organizationId: Id, channelId: Id, message: Type.String({ description: 'For people.' }) },
  { ...closed, description: 'What is told of a channel itself.' },
)
export type ChannelNotice = Static<typeof ChannelNotice>

/**
 * How much a person should care, least first. CRITICAL is what cannot wait: it failed, or decides itself unless
 * somebody does.
 */
export const severities = ['INFO', 'WARNING', 'CRITICAL'] as const
export type Severity = (typeof severities)[number]

type NotificationKind = { description: string; severity: Severity; data: TObject }

/** Everything that channels may be told of: when, how much it matters, and what the `data` of the payload are. */
export const notificationCatalogue = {
  'deployment.approval_wanted': {
    description: 'A deployment waits until enough have approved it.',
    severity: 'WARNING',
    data: DeploymentNotice,
  },
  'deployment.started': { description: "A deployment's turn has come.", severity: 'INFO', data: DeploymentNotice },
  'deployment.frozen': {
    description: 'A deployment waits for the end of a freeze.',
    severity: 'INFO',
    data: DeploymentNotice,
  },
  'deployment.paused': { description: 'A deployment waits for a person.', severity: 'WARNING', data: DeploymentNotice },
  'deployment.approval_expires_soon': {
    description: 'A deployment is cancelled soon, unless enough approve it.',
    severity: 'CRITICAL',
    data: DeploymentNotice,
  },
  'deployment.pause_expires_soon': {
    description: 'A pause ends by itself soon, unless somebody decides.',
    severity: 'CRITICAL',
    data: DeploymentNotice,
  },
  'deployment.succeeded': { description: 'The new version is live.', severity: 'INFO', data: DeploymentNotice },
  'deployment.failed': { description: 'A deployment ended as ERROR.', severity: 'CRITICAL', data: DeploymentNotice },
  'deployment.rolled_back': {
    description: 'The version before runs again.',
    severity: 'WARNING',
    data: DeploymentNotice,
  },
  'deployment.cancelled': {
    description: 'A deployment ended and had nothing to undo.',
    severity: 'INFO',
    data: DeploymentNotice,
  },
  'pipeline_run.approval_wanted': {
    description: 'A step of a run waits for approval.',
    severity: 'WARNING',
    data: PipelineRunNotice,
  },
  'pipeline_run.approval_expires_soon': {
    description: 'The time to decide about a step of a run is over soon.',
    severity: 'CRITICAL',
    data: PipelineRunNotice,
  },
  'pipeline_run.frozen': {
    description: 'A step of a run waits for the end of a freeze.',
    severity: 'INFO',
    data: PipelineRunNotice,
  },
  'pipeline_run.succeeded': { description: 'A run ended as SUCCESS.', severity: 'INFO', data: PipelineRunNotice },
  'pipeline_run.failed': { description: 'A run ended as ERROR.', severity: 'CRITICAL', data: PipelineRunNotice },
  'pipeline_run.cancelled': { description: 'A run was cancelled.', severity: 'INFO', data: PipelineRunNotice },
  'hold.began': {
    description: 'Newer releases are kept from an instance or an environment.',
    severity: 'WARNING',
    data: HoldNotice,
  },
  'hold.released': { description: 'What was held is let go.', severity: 'INFO', data: HoldNotice },
  'stack.drifted': {
    description: 'What is there is not what the stack says any more.',
    severity: 'WARNING',
    data: StackNotice,
  },
  'cloud_account.disconnected': {
    description: 'A cloud account does not let Sluice in any more.',
    severity: 'CRITICAL',
    data: CloudAccountNotice,
  },
  'cloud_account.connected': {
    description: 'A cloud account is connected, or is so again.',
    severity: 'INFO',
    data: CloudAccountNotice,
  },
  'certificate.expires_soon': {
    description: 'A certificate ends within 30 days, and the cloud has not renewed it.',
    severity: 'CRITICAL',
    data: CertificateNotice,
  },
  'certificate.unusable': {
    description: 'A certificate was not issued, is gone, or has ended.',
    severity: 'CRITICAL',
    data: CertificateNotice,
  },
} as const satisfies Record<string, NotificationKind>

export type NotificationType = keyof typeof notificationCatalogue
export const notificationTypes = Object.keys(notificationCatalogue) as [NotificationType, ...NotificationType[]]

export const severityOf = (type: NotificationType): Severity => notificationCatalogue[type].severity

/** What is told of channels themselves: that one is tested, or that another is broken. Nobody subscribes to it. */
export const channelNoticeTypes = ['channel.test', 'channel.broken'] as const
export type ChannelNoticeType = (typeof channelNoticeTypes)[number]

export const isOfChannel = (type: NotificationPayload['type']): type is ChannelNoticeType =>
  (channelNoticeTypes as readonly string[]).includes(type)

export const NotificationPayload = Type.Object(
  {
    type: Type.Enum([...notificationTypes, ...channelNoticeTypes] as const, { description: 'What happened.' }),
    timestamp: UtcDateTime,
    data: Type.Union(
      [
        DeploymentNotice,
        PipelineRunNotice,
        HoldNotice,
        StackNotice,
        CloudAccountNotice,
        CertificateNotice,
        ChannelNotice,
      ],
      { description: 'What is told of it; `type` says which.' },
    ),
  },
  {
    ...closed,
    description:
      'What a channel is told. To a WEBHOOK it is the body of the request, in the form of Standard Webhooks.',
  },
)
export type NotificationPayload = Static<typeof NotificationPayload>

/** How channels are reached. */
export const channelKinds = ['WEBHOOK', 'SLACK', 'TEAMS', 'EMAIL', 'PAGERDUTY'] as const
export type ChannelKind = (typeof channelKinds)[number]

const Recipients = Type.Array(
  Type.String({
    pattern: '^(mem_[0-9a-z]{26}|[^\\s@<>()",;:\\\\]{1,64}@[A-Za-z0-9.-]{1,189})$',
    description: 'The id of a membership, or an address.',
  }),
  {
    minItems: 1,
    maxItems: 20,
    uniqueItems: true,
    description:
      'EMAIL: whom it is sent to. Members are written to as long as they are, wherever their mail goes then.',
    examples: [['on-call@example.com']],
  },
)

/** What leads to a channel; which of it is needed depends on its kind. */
const reach = {
  url: Type.String({
    pattern: '^https?://[^\\s/@]+(/\\S*)?$',
    maxLength: 2000,
    description:
      'Where it is sent to, by https or http; on the public internet, or where the operator allows. No password. SLACK ' +
      'and TEAMS: the address of an incoming webhook, which is a secret and never shown. PAGERDUTY: only where it is another than the usual one.',
    examples: ['https://hooks.example.com/sluice'],
  }),
  routingKey: Type.String({
    pattern: '^[A-Za-z0-9]{32}$',
    description: 'PAGERDUTY: the integration key of a service there, for Events API v2. It is never shown.',
    examples: ['R0123456789ABCDEFGHIJKLMNOPQRSTU'],
  }),
  recipients: Recipients,
}

const settings = {
  name: Name,
  events: Type.Array(Type.Enum(notificationTypes, { description: 'What happens.' }), {
    maxItems: notificationTypes.length,
    uniqueItems: true,
    description: 'What it is told of; of everything where it is empty, also of what later versions add.',
    examples: [['deployment.paused', 'deployment.failed']],
  }),
  minimumSeverity: Type.Enum(severities, {
    description: 'How much what it is told of matters at least. INFO, unless said: of everything that `events` names.',
  }),
  environmentIds: Type.Array(Id, {
    maxItems: 100,
    uniqueItems: true,
    description: 'Only what happens in these environments; of all where it is empty.',
  }),
  enabled: Type.Boolean({ description: 'Whether it is told anything. What waits when it is disabled is given up.' }),
}

export const NotificationChannel = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    projectId: Type.Optional(Id),
    kind: Type.Enum(channelKinds, { description: 'How it is reached.' }),
    url: Type.Optional(
      Type.String({
        description: 'Where it is sent to, for WEBHOOK and PAGERDUTY; of the others the address is a secret.',
      }),
    ),
    recipients: Type.Optional(Recipients),
    ...settings,
    disabledReason: Type.Optional(
      Type.String({ description: 'Why the service disabled it: it said so itself (410), or failed for 5 days.' }),
    ),
    failingSince: Type.Optional(UtcDateTime),
    brokenSince: Type.Optional({
      ...UtcDateTime,
      description:
        'Since when it counts as broken: the fourth attempt in a row at something failed, or the service disabled it.',
    }),
    createdBy: Type.String({ description: 'Who made it.' }),
  },
  { ...closed, description: 'Where an organization is told what happens.' },
)
export type NotificationChannel = Static<typeof NotificationChannel>

export const NotificationChannelWithSecret = Type.Object(
  {
    ...NotificationChannel.properties,
    secret: Type.Optional(
      Type.String({ description: 'What requests to a WEBHOOK are signed with. It is shown this once.' }),
    ),
  },
  { ...closed, description: 'A channel with its new secret, where it has one of ours.' },
)
export type NotificationChannelWithSecret = Static<typeof NotificationChannelWithSecret>

export const CreateNotificationChannel = Type.Object(
  {
    projectId: Type.Optional(Id),
    kind: Type.Optional(NotificationChannel.properties.kind),
    ...Type.Partial(Type.Object(reach)).properties,
    ...settings,
    events: Type.Optional(settings.events),
    minimumSeverity: Type.Optional(settings.minimumSeverity),
    environmentIds: Type.Optional(settings.environmentIds),
    enabled: Type.Optional(settings.enabled),
  },
  {
    ...closed,
    description: 'A new channel, for what happens in a project, or in the organization.',
    examples: [
      {
        name: 'Our program',
        url: 'https://hooks.example.com/sluice',
        events: ['deployment.paused', 'deployment.failed'],
      },
    ],
  },
)
export type CreateNotificationChannel = Static<typeof CreateNotificationChannel>

export const UpdateNotificationChannel = Type.Partial(Type.Object({ ...reach, ...settings }, closed), {
  ...closed,
  description: 'What is to change about a channel.',
  examples: [{ events: ['deployment.failed'], enabled: true }],
})
export type UpdateNotificationChannel = Static<typeof UpdateNotificationChannel>

export const deliveryStatuses = ['PENDING', 'DELIVERED', 'FAILED'] as const

export const DeliveryAttempt = Type.Object(
  {
    at: UtcDateTime,
    durationMs: Type.Integer({ description: 'How long it took. Milliseconds.' }),
    status: Type.Optional(Type.Integer({ description: 'The status of the answer; absent where there was none.' })),
    answer: Type.Optional(Type.String({ description: 'The first 500 characters of the answer.' })),
    error: Type.Optional(Type.String({ description: 'Why there was no answer.' })),
  },
  { ...closed, description: 'One request to the channel, and what came of it.' },
)
export type DeliveryAttempt = Static<typeof DeliveryAttempt>

export const NotificationDelivery = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    channelId: Id,
    eventId: Type.String({ description: 'What it tells of. The same for every channel, and when it is sent again.' }),
    recordId: Type.String({ description: 'The record that it is about: what is told of it comes in order.' }),
    payload: NotificationPayload,
    status: Type.Enum(deliveryStatuses, { description: 'FAILED: it was given up, or the channel was disabled.' }),
    attempts: Type.Array(DeliveryAttempt, { description: 'Oldest first.' }),
    nextAttemptAt: Type.Optional(UtcDateTime),
    resendOf: Type.Optional(Id),
  },
  {
    ...closed,
    description: 'Something that a channel is told. To a WEBHOOK its id is the `webhook-id` of every attempt.',
  },
)
export type NotificationDelivery = Static<typeof NotificationDelivery>
