import {
  type AuditNotice,
  belongsToChannel,
  type CertificateNotice,
  type ChannelNotice,
  type ChannelNoticeType,
  type CloudAccountNotice,
  type DeploymentNotice,
  type FilesNotice,
  type HoldNotice,
  type NotificationPayload,
  type NotificationType,
  type PipelineRunNotice,
  type PreviewNotice,
  type StackNotice,
} from '@sluice/contract'

/** Message about an event, independent of the channel's markup. All text is plain, and users wrote much of it. */
export type Notice = {
  title: string
  facts: readonly { label: string; value: string }[]
  /** Link to the record's page in the console. */
  url: string | undefined
}

/** Message that combines several events. */
export type Digest = {
  title: string
  lines: readonly { at: string; title: string; url: string | undefined }[]
  /** Number of events beyond the listed lines. */
  more: number
}

/** Returns the message for one or several events. */
export function messageOf(
  deliveries: readonly [{ payload: NotificationPayload }, ...{ payload: NotificationPayload }[]],
  { timeZone }: { timeZone: string },
): Notice | Digest {
  const [first, ...rest] = deliveries
  if (rest.length === 0) return noticeOf(first.payload)
  const lines = deliveries.slice(0, maxLines).map(({ payload }) => {
    const { title, url } = noticeOf(payload)
    return { at: timeOf(payload, timeZone), title, url }
  })
  return { title: `${deliveries.length} things have happened`, lines, more: deliveries.length - lines.length }
}

/** Maximum number of lines in a digest, within the size limits of chats. */
const maxLines = 40

const timeOf = ({ timestamp }: NotificationPayload, timeZone: string): string =>
  new Date(timestamp).toLocaleString('en-GB', {
    timeZone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
  })

/** Returns the line below a digest that mentions omitted events. */
export const andMore = (more: number): string[] => (more > 0 ? [`And ${more} more, which are in the console.`] : [])

type AnyNotice = Exclude<NotificationPayload['data'], ChannelNotice>

/** Rest of the title after the record's name, by event type. */
const becameOf = {
  'deployment.approval_requested': 'waits for approval',
  'deployment.started': 'has started',
  'deployment.frozen': 'waits for the end of a freeze',
  'deployment.paused': 'waits for a person',
  'deployment.approval_expires_soon': 'waits for approval, which expires soon',
  'deployment.pause_expires_soon': 'waits for a person, and times out soon',
  'deployment.succeeded': 'is live',
  'deployment.failed': 'has failed',
  'deployment.rolled_back': 'was rolled back',
  'deployment.cancelled': 'was cancelled',
  'pipeline_run.approval_requested': 'waits for approval',
  'pipeline_run.version_approval_requested': 'waits for its version to be approved',
  'pipeline_run.approval_expires_soon': 'waits for approval, which expires soon',
  'pipeline_run.frozen': 'waits for the end of a freeze',
  'pipeline_run.succeeded': 'has succeeded',
  'pipeline_run.failed': 'has failed',
  'pipeline_run.cancelled': 'was cancelled',
  'hold.placed': 'is held',
  'hold.lifted': 'is held no more',
  'stack.drifted': 'has drifted',
  'files.drifted': 'has drifted from its files',
  'preview.teardown_failed': 'could not be torn down',
  'cloud_account.disconnected': 'is no longer connected',
  'cloud_account.connected': 'is connected',
  'certificate.expires_soon': 'ends soon, and was not renewed',
  'certificate.unusable': 'cannot be used',
  'audit.recorded': 'was written down',
} as const satisfies Record<NotificationType, string>

const titlesOfChannels = {
  'channel.test': 'A test',
  'channel.broken': 'A notification channel is broken',
} as const satisfies Record<ChannelNoticeType, string>

export function noticeOf({ type, data }: NotificationPayload): Notice {
  if (belongsToChannel(type))
    return {
      title: titlesOfChannels[type],
      facts: [{ label: type === 'channel.test' ? 'Test' : 'Channel', value: sentenceOf(data) }],
      url: undefined,
    }
  const notice = data as AnyNotice
  const { name, ...facts } = subjectOf(notice)
  return { title: `${name} ${becameOf[type]}`, facts: known(facts), url: notice.url }
}

/** Returns the message of an event about channels. */
const sentenceOf = (data: NotificationPayload['data']): string => (data as ChannelNotice).message

/** Name of a record in a title, with labelled details. */
type Subject = { name: string } & Record<string, string | undefined>

function subjectOf(notice: AnyNotice): Subject {
  if ('deploymentId' in notice) return deployment(notice)
  if ('holdId' in notice) return held(notice)
  if ('stack' in notice) return stack(notice)
  if ('watchedRepositoryId' in notice) return files(notice)
  if ('previewEnvironmentId' in notice) return preview(notice)
  if ('certificateId' in notice) return certificate(notice)
  if ('auditEvent' in notice) return auditLine(notice)
  return 'cloudAccount' in notice ? cloudAccount(notice) : run(notice)
}

const deployment = ({ project, environment, moduleInstance, ...notice }: DeploymentNotice): Subject => ({
  name: `The deployment of ${short(moduleInstance.name)} to ${short(environment.name)}`,
  Project: project.name,
  Environment: environment.name,
  'Module instance': moduleInstance.name,
  Description: notice.description,
  ...asked(notice),
})

const run = ({ project, pipeline, step, ...notice }: PipelineRunNotice): Subject => ({
  name: `Run ${notice.number} of ${short(pipeline.name)}`,
  Project: project.name,
  Pipeline: pipeline.name,
  Step: step?.name,
  ...asked(notice),
})

const asked = (notice: Pick<DeploymentNotice, 'triggeredBy' | 'message' | 'expiresAt' | 'error'>) => ({
  'Asked for by': notice.triggeredBy,
  'Waits for': notice.message,
  Until: notice.expiresAt,
  Why: notice.error,
})

const held = ({ project, environment, moduleInstance, triggeredBy, message }: HoldNotice): Subject => ({
  name: moduleInstance
    ? `${short(moduleInstance.name)} in ${short(environment.name)}`
    : `All of ${short(environment.name)}`,
  Project: project.name,
  Environment: environment.name,
  'Module instance': moduleInstance?.name,
  By: triggeredBy,
  Why: message,
})

const stack = ({ stack: { name }, project, environment }: StackNotice): Subject => ({
  name: `The stack ${short(name)}`,
  Project: project.name,
  Environment: environment?.name,
})

const files = ({ project: { name }, commit, changeCount }: FilesNotice): Subject => ({
  name: `The project ${short(name)}`,
  Project: name,
  Commit: commit,
  'Not as in the files': `${changeCount} ${changeCount === 1 ? 'record' : 'records'}`,
})

const preview = ({ givenId, project, pullRequest, ...notice }: PreviewNotice): Subject => ({
  name: `The preview environment ${short(givenId)}`,
  Project: project.name,
  'Pull request': String(pullRequest),
  Failures: String(notice.failedTeardowns),
  'Tried again': notice.retryAt,
  Why: notice.error,
})

const cloudAccount = ({ cloudAccount: { name }, error }: CloudAccountNotice): Subject => ({
  name: `The cloud account ${short(name)}`,
  Why: error,
})

const certificate = ({ names, ...notice }: CertificateNotice): Subject => ({
  name: `The certificate of ${short(names[0] ?? notice.certificateId)}`,
  Names: names.join(', '),
  'Cloud account': notice.cloudAccount.name,
  Ends: notice.expiresAt,
  Why: notice.error,
})

const auditLine = ({ auditEvent: { action, actorName, resourceId } }: AuditNotice): Subject => ({
  name: short(action),
  By: actorName,
  Record: resourceId,
})

const known = (facts: Record<string, string | undefined>): Notice['facts'] =>
  Object.entries(facts).flatMap(([label, value]) =>
    value === undefined || value.trim() === '' ? [] : [{ label, value: truncate(value, maxValueLength) }],
  )

/** Maximum length of user-written text in chats, in characters, within their size limits. */
const maxValueLength = 600
const short = (name: string): string => truncate(name, 60)

/** Truncates text with an ellipsis. */
export const truncate = (text: string, maxLength: number): string =>
  text.length <= maxLength ? text : `${text.slice(0, maxLength - 1).toWellFormed()}…`
