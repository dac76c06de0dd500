import { type Static, type TObject, Type } from 'typebox'
import { certificateStatuses } from '../cloud/certificate.ts'
import { cloudAccountStatuses } from '../cloud/cloud-account.ts'
import { DeploymentStatus, triggerSources } from '../delivery/deployment.ts'
import { AuditEvent } from '../identity/audit-event.ts'
import { PipelineRunStatus, runTriggerSources } from '../pipelines/pipeline-run.ts'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

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
    artifact: Type.Optional(
      Type.String({
        description:
          'What runs from then on, as a purl: the image of the first container, or else the deployment that brought it. ' +
          'Told where the new version is live, or the one before runs again.',
        examples: ['pkg:oci/app?repository_url=ghcr.io/shop/app&tag=2'],
      }),
    ),
    hookId: Type.Optional(
      Type.String({ description: 'Of a pause: which it is. A decision that carries it is about no later one.' }),
    ),
    releaseDigest: Type.Optional(
      Type.String({
        description:
          'Where approval is asked for: what is released, in short. A decision that carries it is about that.',
      }),
    ),
    isFirst: Type.Optional(
      Type.Boolean({ description: 'Where the new version is live: whether nothing was released there before.' }),
    ),
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
    pipelineVersionId: Type.Optional({ ...Id, description: 'The version whose approval the run waits for.' }),
    requestedAt: Type.Optional({
      ...UtcDateTime,
      description:
        'When the step asked for approval. A decision that carries it is about that question, and no later one.',
    }),
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

export const FilesNotice = Type.Object(
  {
    organizationId: Id,
    watchedRepositoryId: Id,
    url: ConsoleUrl,
    project: Named,
    commit: Type.String({ description: 'Whose files the project was made to be as.' }),
    changeCount: Type.Integer({ description: 'How many records are not as the files say.' }),
  },
  { ...closed, description: 'What is told of a project whose files are watched.' },
)
export type FilesNotice = Static<typeof FilesNotice>

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

export const PreviewNotice = Type.Object(
  {
    organizationId: Id,
    previewEnvironmentId: Id,
    url: ConsoleUrl,
    project: Named,
    environment: Type.Optional(Named),
    givenId: Type.String({ description: 'What the preview environment is called.' }),
    pullRequest: Type.Integer({ description: 'The number of the pull request.' }),
    failedTeardowns: Type.Integer({ description: 'How often in a row it has failed.' }),
    retryAt: Type.Optional(UtcDateTime),
    error: Type.Optional(Type.String({ description: `Why, in words. ${cut}` })),
  },
  { ...closed, description: 'What is told of a preview environment.' },
)
export type PreviewNotice = Static<typeof PreviewNotice>

export const AuditNotice = Type.Object(
  {
    organizationId: Id,
    url: { ...ConsoleUrl, description: 'Where people see the audit log, in the console.' },
    auditEvent: AuditEvent,
    isCut: Type.Optional(
      Type.Literal(true, {
        description: 'Its `details` and `before` are too long for this, and left out: `GET /audit-events` has them.',
      }),
    ),
  },
  { ...closed, description: 'A line of the audit log.' },
)
export type AuditNotice = Static<typeof AuditNotice>

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
    description: 'A deployment waits until enough have approved it; `message` says whose approval is asked for.',
    severity: 'WARNING',
    data: DeploymentNotice,
  },
  'deployment.started': { description: 'The turn of a deployment has come.', severity: 'INFO', data: DeploymentNotice },
  'deployment.frozen': {
    description: 'A deployment waits for the end of a freeze; `message` says of which, and until when.',
    severity: 'INFO',
    data: DeploymentNotice,
  },
  'deployment.paused': {
    description: 'A deployment waits for a person; `message` says for what.',
    severity: 'WARNING',
    data: DeploymentNotice,
  },
  'deployment.approval_expires_soon': {
    description: 'A deployment still waits for approval, and is cancelled at `expiresAt`.',
    severity: 'CRITICAL',
    data: DeploymentNotice,
  },
  'deployment.pause_expires_soon': {
    description: 'A pause ends by itself at `expiresAt`, and nobody has decided; `message` says what it waits for.',
    severity: 'CRITICAL',
    data: DeploymentNotice,
  },
  'deployment.succeeded': { description: 'The new version is live.', severity: 'INFO', data: DeploymentNotice },
  'deployment.failed': {
    description: 'A deployment ended as `ERROR`; `error` says why.',
    severity: 'CRITICAL',
    data: DeploymentNotice,
  },
  'deployment.rolled_back': {
    description: 'The version before runs again; `error` says why.',
    severity: 'WARNING',
    data: DeploymentNotice,
  },
  'deployment.cancelled': {
    description: 'A deployment ended and had nothing to undo.',
    severity: 'INFO',
    data: DeploymentNotice,
  },
  'pipeline_run.approval_wanted': {
    description: 'A step of a run waits for approval; `step` is which, `message` what it asks.',
    severity: 'WARNING',
    data: PipelineRunNotice,
  },
  'pipeline_run.version_approval_wanted': {
    description:
      'A run waits until the version of its pipeline is approved; `message` says whose approval is asked for. Once for each version.',
    severity: 'WARNING',
    data: PipelineRunNotice,
  },
  'pipeline_run.approval_expires_soon': {
    description: 'A step still waits for approval, and what happens without a decision happens at `expiresAt`.',
    severity: 'CRITICAL',
    data: PipelineRunNotice,
  },
  'pipeline_run.frozen': {
    description: 'A step of a run waits for the end of a freeze; `step` is which, `message` says of which freeze.',
    severity: 'INFO',
    data: PipelineRunNotice,
  },
  'pipeline_run.succeeded': { description: 'A run ended as `SUCCESS`.', severity: 'INFO', data: PipelineRunNotice },
  'pipeline_run.failed': {
    description: 'A run ended as `ERROR`; `error` says why.',
    severity: 'CRITICAL',
    data: PipelineRunNotice,
  },
  'pipeline_run.cancelled': { description: 'A run was cancelled.', severity: 'INFO', data: PipelineRunNotice },
  'hold.began': {
    description:
      'Newer releases are kept from an instance or, without `moduleInstance`, from an environment; `message` says why.',
    severity: 'WARNING',
    data: HoldNotice,
  },
  'hold.released': {
    description: 'What was held is let go; `triggeredBy` says by whom.',
    severity: 'INFO',
    data: HoldNotice,
  },
  'stack.drifted': {
    description:
      'A look found that a stack has drifted: once, until a look finds nothing or an apply comes in between.',
    severity: 'WARNING',
    data: StackNotice,
  },
  'files.drifted': {
    description:
      'A look at a watched repository found that its project was changed otherwise since: once, until it is as the files say.',
    severity: 'WARNING',
    data: FilesNotice,
  },
  'preview.teardown_failed': {
    description: 'A preview environment could not be torn down. It is tried again.',
    severity: 'WARNING',
    data: PreviewNotice,
  },
  'cloud_account.disconnected': {
    description:
      'A check found that a cloud account does not let Sluice in any more, or not as it should; `error` says why.',
    severity: 'CRITICAL',
    data: CloudAccountNotice,
  },
  'cloud_account.connected': {
    description: 'A cloud account was connected, or a check found that it lets Sluice in again.',
    severity: 'INFO',
    data: CloudAccountNotice,
  },
  'certificate.expires_soon': {
    description: 'A certificate ends within 30 days, and the cloud has not renewed it.',
    severity: 'CRITICAL',
    data: CertificateNotice,
  },
  'certificate.unusable': {
    description: 'A certificate was not issued, is gone from its account, or has ended; `error` says why.',
    severity: 'CRITICAL',
    data: CertificateNotice,
  },
  'audit.recorded': {
    description:
      'A line of the audit log: who changed what. For webhooks that ask for it by name, made by who may read the log.',
    severity: 'INFO',
    data: AuditNotice,
  },
} as const satisfies Record<string, NotificationKind>

export type NotificationType = keyof typeof notificationCatalogue

/** What is asked for by name, and only by who may read the audit log. */
export const auditType = 'audit.recorded' satisfies NotificationType

/** What people follow: the audit log is told to programs alone. */
export type FollowedType = Exclude<NotificationType, typeof auditType>
export const notificationTypes = Object.keys(notificationCatalogue) as [NotificationType, ...NotificationType[]]

export const followedTypes = notificationTypes.filter((type) => type !== auditType) as [FollowedType, ...FollowedType[]]

export const severityOf = (type: NotificationType): Severity => notificationCatalogue[type].severity

/** What is told of channels themselves. Nobody subscribes to it. */
export const channelNotices = {
  'channel.test': { description: 'Somebody asked for a test of the channel.', data: ChannelNotice },
  'channel.broken': {
    description: 'Another channel of the organization is broken: all are told, and by mail the owners.',
    data: ChannelNotice,
  },
} as const satisfies Record<string, Omit<NotificationKind, 'severity'>>
export type ChannelNoticeType = keyof typeof channelNotices

export const isOfChannel = (type: NotificationPayload['type']): type is ChannelNoticeType => type in channelNotices

/** All that a webhook may be sent. */
export const sentNotices = { ...notificationCatalogue, ...channelNotices } as const
export type SentNoticeType = keyof typeof sentNotices
export const sentNoticeTypes = Object.keys(sentNotices) as [SentNoticeType, ...SentNoticeType[]]

/** The body of the request that tells a webhook of an event of that type. */
export const payloadSchemaOf = (type: SentNoticeType) =>
  Type.Object(
    {
      type: Type.Literal(type, { description: 'What happened.' }),
      timestamp: UtcDateTime,
      data: sentNotices[type].data,
    },
    { ...closed, description: sentNotices[type].description },
  )

export const NotificationPayload = Type.Object(
  {
    type: Type.Enum(sentNoticeTypes, { description: 'What happened.' }),
    timestamp: UtcDateTime,
    data: Type.Union(
      [
        DeploymentNotice,
        PipelineRunNotice,
        HoldNotice,
        StackNotice,
        FilesNotice,
        PreviewNotice,
        CloudAccountNotice,
        CertificateNotice,
        AuditNotice,
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
