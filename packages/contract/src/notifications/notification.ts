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
  { id: Id, name: Type.String({ description: 'Display name.' }) },
  { ...closed, description: 'Resource and its name at the time of the event.' },
)
const ConsoleUrl = Type.String({ description: 'URL of the resource in the console.' })
/** Bounds the size of payloads, because users can write texts of any length. */
const truncation = 'Truncated to 2,000 characters.'

const common = {
  organizationId: Id,
  url: ConsoleUrl,
  project: Named,
  triggeredBy: Type.Optional(
    Type.String({ description: `Name of the user or service account that requested it. ${truncation}` }),
  ),
  message: Type.Optional(Type.String({ description: `Human-readable reason for waiting. ${truncation}` })),
  expiresAt: Type.Optional({ ...UtcDateTime, description: 'Time when waiting ends. Present in reminders.' }),
  error: Type.Optional(Type.String({ description: `Human-readable reason for the failure. ${truncation}` })),
}

export const DeploymentNotice = Type.Object(
  {
    ...common,
    deploymentId: Id,
    status: DeploymentStatus,
    deploymentType: Type.String({ description: 'Type of the deployment, such as `cloud:ecs`.' }),
    description: Type.String({ description: `Description provided by the user. ${truncation}` }),
    environment: Named,
    moduleInstance: Named,
    triggerSource: Type.Enum(triggerSources, { description: 'How the deployment was triggered.' }),
    pipelineRunId: Type.Optional(Id),
    artifact: Type.Optional(
      Type.String({
        description:
          'Artifact that runs from now on, as a package URL (purl): the image of the first container, or else the deployment that released it. Present if the new version is live or the previous version is restored.',
        examples: ['pkg:oci/app?repository_url=ghcr.io/shop/app&tag=2'],
      }),
    ),
    hookId: Type.Optional(
      Type.String({
        description:
          'ID of the pause hook, in events about a pause. A decision with this ID applies only to this pause.',
      }),
    ),
    releaseDigest: Type.Optional(
      Type.String({
        description:
          'Digest of the release, in approval requests. A decision with this digest applies only to this release.',
      }),
    ),
    isFirst: Type.Optional(
      Type.Boolean({
        description: 'Whether this is the first release of the module instance. Present if the new version is live.',
      }),
    ),
  },
  { ...closed, description: 'Data of a deployment event.' },
)
export type DeploymentNotice = Static<typeof DeploymentNotice>

export const PipelineRunNotice = Type.Object(
  {
    ...common,
    pipelineRunId: Id,
    number: Type.Integer({ description: 'Number of the run within its pipeline.' }),
    status: PipelineRunStatus,
    pipeline: Named,
    moduleInstanceId: Type.Optional(Id),
    step: Type.Optional(Named),
    pipelineVersionId: Type.Optional({
      ...Id,
      description: 'ID of the pipeline version whose approval the run waits for.',
    }),
    requestedAt: Type.Optional({
      ...UtcDateTime,
      description: 'Time when the step requested approval. A decision with this time applies only to this request.',
    }),
    triggerSource: Type.Enum(runTriggerSources, { description: 'How the run was triggered.' }),
  },
  { ...closed, description: 'Data of a pipeline run event.' },
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
    triggeredBy: Type.String({
      description: `Name of the user or service account that set or lifted the hold. ${truncation}`,
    }),
    message: Type.Optional(Type.String({ description: `Reason provided by the user. ${truncation}` })),
  },
  { ...closed, description: 'Data of a hold event. Without `moduleInstance`, the hold applies to the environment.' },
)
export type HoldNotice = Static<typeof HoldNotice>

export const StackNotice = Type.Object(
  {
    organizationId: Id,
    url: { ...ConsoleUrl, description: "URL of the drift check's run in the console." },
    project: Named,
    environment: Type.Optional(Named),
    stack: Named,
    pipelineRunId: { ...Id, description: "ID of the drift check's run." },
  },
  { ...closed, description: 'Data of a stack event.' },
)
export type StackNotice = Static<typeof StackNotice>

export const FilesNotice = Type.Object(
  {
    organizationId: Id,
    watchedRepositoryId: Id,
    url: ConsoleUrl,
    project: Named,
    commit: Type.String({ description: 'SHA of the commit whose files were applied to the project.' }),
    changeCount: Type.Integer({ description: 'Number of resources that differ from the files.' }),
  },
  { ...closed, description: 'Data of a project event about its watched repository.' },
)
export type FilesNotice = Static<typeof FilesNotice>

export const CloudAccountNotice = Type.Object(
  {
    organizationId: Id,
    url: ConsoleUrl,
    cloudAccount: Named,
    status: Type.Enum(cloudAccountStatuses, { description: 'Status found by the check.' }),
    error: Type.Optional(Type.String({ description: `Human-readable error of the cloud. ${truncation}` })),
  },
  { ...closed, description: 'Data of a cloud account event.' },
)
export type CloudAccountNotice = Static<typeof CloudAccountNotice>

export const CertificateNotice = Type.Object(
  {
    organizationId: Id,
    certificateId: Id,
    url: ConsoleUrl,
    cloudAccount: Named,
    names: Type.Array(Type.String(), { description: 'Domain names of the certificate.' }),
    status: Type.Enum(certificateStatuses, { description: 'Status found by the check.' }),
    expiresAt: Type.Optional(UtcDateTime),
    error: Type.Optional(
      Type.String({ description: `Human-readable reason why there is no valid certificate. ${truncation}` }),
    ),
  },
  { ...closed, description: 'Data of a certificate event.' },
)
export type CertificateNotice = Static<typeof CertificateNotice>

export const PreviewNotice = Type.Object(
  {
    organizationId: Id,
    previewEnvironmentId: Id,
    url: ConsoleUrl,
    project: Named,
    environment: Type.Optional(Named),
    givenId: Type.String({ description: 'Identifier of the preview environment.' }),
    pullRequest: Type.Integer({ description: 'Number of the pull request.' }),
    failedTeardowns: Type.Integer({ description: 'Number of consecutive failed teardowns.' }),
    retryAt: Type.Optional(UtcDateTime),
    error: Type.Optional(Type.String({ description: `Human-readable reason for the failure. ${truncation}` })),
  },
  { ...closed, description: 'Data of a preview environment event.' },
)
export type PreviewNotice = Static<typeof PreviewNotice>

export const AuditNotice = Type.Object(
  {
    organizationId: Id,
    url: { ...ConsoleUrl, description: 'URL of the audit log in the console.' },
    auditEvent: AuditEvent,
    isTruncated: Type.Optional(
      Type.Literal(true, {
        description:
          'Whether `details` and `before` were omitted because they are too long. `GET /audit-events` returns them.',
      }),
    ),
  },
  { ...closed, description: 'Audit event.' },
)
export type AuditNotice = Static<typeof AuditNotice>

export const ChannelNotice = Type.Object(
  { organizationId: Id, channelId: Id, message: Type.String({ description: 'Human-readable message.' }) },
  { ...closed, description: 'Data of a channel event.' },
)
export type ChannelNotice = Static<typeof ChannelNotice>

/**
 * Severities, least severe first. CRITICAL events cannot wait: something failed, or happens automatically unless a user
 * decides.
 */
export const severities = ['INFO', 'WARNING', 'CRITICAL'] as const
export type Severity = (typeof severities)[number]

type NotificationKind = { description: string; severity: Severity; data: TObject }

/** Events that channels can deliver, with the time when they occur, their severity and the `data` of their payload. */
export const notificationCatalogue = {
  'deployment.approval_requested': {
    description: 'A deployment waits for approvals; `message` names the approvers.',
    severity: 'WARNING',
    data: DeploymentNotice,
  },
  'deployment.started': { description: 'A deployment started.', severity: 'INFO', data: DeploymentNotice },
  'deployment.frozen': {
    description: 'A deployment is blocked by a freeze; `message` names the freeze and its end.',
    severity: 'INFO',
    data: DeploymentNotice,
  },
  'deployment.paused': {
    description: 'A deployment is paused and waits for a decision; `message` names it.',
    severity: 'WARNING',
    data: DeploymentNotice,
  },
  'deployment.approval_expires_soon': {
    description: 'A deployment still waits for approval and is cancelled at `expiresAt`.',
    severity: 'CRITICAL',
    data: DeploymentNotice,
  },
  'deployment.pause_expires_soon': {
    description: 'A pause without a decision ends automatically at `expiresAt`; `message` names the decision.',
    severity: 'CRITICAL',
    data: DeploymentNotice,
  },
  'deployment.succeeded': {
    description: 'A deployment succeeded, and the new version is live.',
    severity: 'INFO',
    data: DeploymentNotice,
  },
  'deployment.failed': {
    description: 'A deployment failed with the status `ERROR`; `error` contains the reason.',
    severity: 'CRITICAL',
    data: DeploymentNotice,
  },
  'deployment.rolled_back': {
    description: 'The previous version was restored; `error` contains the reason.',
    severity: 'WARNING',
    data: DeploymentNotice,
  },
  'deployment.cancelled': {
    description: 'A deployment was cancelled before it changed anything.',
    severity: 'INFO',
    data: DeploymentNotice,
  },
  'pipeline_run.approval_requested': {
    description: 'A step of a run waits for approval; `step` identifies it, and `message` contains its question.',
    severity: 'WARNING',
    data: PipelineRunNotice,
  },
  'pipeline_run.version_approval_requested': {
    description:
      'A run waits for the approval of its pipeline version; `message` names the approvers. Sent once per version.',
    severity: 'WARNING',
    data: PipelineRunNotice,
  },
  'pipeline_run.approval_expires_soon': {
    description: 'A step still waits for approval; its timeout action is taken at `expiresAt`.',
    severity: 'CRITICAL',
    data: PipelineRunNotice,
  },
  'pipeline_run.frozen': {
    description: 'A step of a run is blocked by a freeze; `step` identifies it, and `message` names the freeze.',
    severity: 'INFO',
    data: PipelineRunNotice,
  },
  'pipeline_run.succeeded': {
    description: 'A run ended with the status `SUCCESS`.',
    severity: 'INFO',
    data: PipelineRunNotice,
  },
  'pipeline_run.failed': {
    description: 'A run ended with the status `ERROR`; `error` contains the reason.',
    severity: 'CRITICAL',
    data: PipelineRunNotice,
  },
  'pipeline_run.cancelled': { description: 'A run was cancelled.', severity: 'INFO', data: PipelineRunNotice },
  'hold.placed': {
    description:
      'New releases to a module instance are blocked by a hold, or those to the environment without `moduleInstance`; `message` contains the reason.',
    severity: 'WARNING',
    data: HoldNotice,
  },
  'hold.lifted': {
    description: 'A hold was lifted; `triggeredBy` names the user.',
    severity: 'INFO',
    data: HoldNotice,
  },
  'stack.drifted': {
    description: 'A drift check found drift in a stack. Sent once until a check finds none or an apply intervenes.',
    severity: 'WARNING',
    data: StackNotice,
  },
  'files.drifted': {
    description:
      'A check of a watched repository found changes of the project made outside of its files. Sent once until the project matches the files.',
    severity: 'WARNING',
    data: FilesNotice,
  },
  'preview.teardown_failed': {
    description: 'A preview environment could not be torn down. Sluice retries the teardown.',
    severity: 'WARNING',
    data: PreviewNotice,
  },
  'cloud_account.disconnected': {
    description:
      'A check found that the connection of a cloud account does not work, or only partly; `error` contains the reason.',
    severity: 'CRITICAL',
    data: CloudAccountNotice,
  },
  'cloud_account.connected': {
    description: 'A cloud account was connected, or a check found that its connection works again.',
    severity: 'INFO',
    data: CloudAccountNotice,
  },
  'certificate.expires_soon': {
    description: 'A certificate expires within 30 days and was not renewed by the cloud.',
    severity: 'CRITICAL',
    data: CertificateNotice,
  },
  'certificate.unusable': {
    description:
      'A certificate was not issued, was deleted from its account, or has expired; `error` contains the reason.',
    severity: 'CRITICAL',
    data: CertificateNotice,
  },
  'audit.recorded': {
    description:
      'An audit event was recorded. Delivered only to webhooks that name this type and were created by a user with permission to read the audit log.',
    severity: 'INFO',
    data: AuditNotice,
  },
} as const satisfies Record<string, NotificationKind>

export type NotificationType = keyof typeof notificationCatalogue

/** Event type that must be named explicitly and requires permission to read the audit log. */
export const auditType = 'audit.recorded' satisfies NotificationType

/** Event types that users can follow. The audit log is delivered only to programs. */
export type SubscribableType = Exclude<NotificationType, typeof auditType>
export const notificationTypes = Object.keys(notificationCatalogue) as [NotificationType, ...NotificationType[]]

export const subscribableTypes = notificationTypes.filter((type) => type !== auditType) as [
  SubscribableType,
  ...SubscribableType[],
]

export const severityOf = (type: NotificationType): Severity => notificationCatalogue[type].severity

/** Events about channels themselves. They need no subscription. */
export const channelNotices = {
  'channel.test': { description: 'A user requested a test of the channel.', data: ChannelNotice },
  'channel.broken': {
    description: 'Another channel of the organization is broken. Delivered to all channels, and to the owners by mail.',
    data: ChannelNotice,
  },
} as const satisfies Record<string, Omit<NotificationKind, 'severity'>>
export type ChannelNoticeType = keyof typeof channelNotices

export const belongsToChannel = (type: NotificationPayload['type']): type is ChannelNoticeType => type in channelNotices

/** All event types that a webhook can receive. */
export const sentNotices = { ...notificationCatalogue, ...channelNotices } as const
export type SentNoticeType = keyof typeof sentNotices
export const sentNoticeTypes = Object.keys(sentNotices) as [SentNoticeType, ...SentNoticeType[]]

/** Returns the schema of the request body of a webhook for an event type. */
export const payloadSchemaOf = (type: SentNoticeType) =>
  Type.Object(
    {
      type: Type.Literal(type, { description: 'Event type.' }),
      timestamp: UtcDateTime,
      data: sentNotices[type].data,
    },
    { ...closed, description: sentNotices[type].description },
  )

export const NotificationPayload = Type.Object(
  {
    type: Type.Enum(sentNoticeTypes, { description: 'Event type.' }),
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
      { description: 'Data of the event; `type` determines its schema.' },
    ),
  },
  {
    ...closed,
    description: 'Payload of a notification. For a WEBHOOK it is the request body, in the format of Standard Webhooks.',
  },
)
export type NotificationPayload = Static<typeof NotificationPayload>
