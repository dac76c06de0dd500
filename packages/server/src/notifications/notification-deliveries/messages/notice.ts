import {
  type AuditNotice,
  type CertificateNotice,
  type ChannelNotice,
  type ChannelNoticeType,
  type CloudAccountNotice,
  type DeploymentNotice,
  type FilesNotice,
  type HoldNotice,
  isOfChannel,
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
  told: readonly [{ payload: NotificationPayload }, ...{ payload: NotificationPayload }[]],
  { timeZone }: { timeZone: string },
): Notice | Digest {
  const [first, ...rest] = told
  if (rest.length === 0) return noticeOf(first.payload)
  const lines = told.slice(0, maxLines).map(({ payload }) => {
    const { title, url } = noticeOf(payload)
    return { at: timeOf(payload, timeZone), title, url }
  })
  return { title: `${told.length} things have happened`, lines, more: told.length - lines.length }
}

/** Maximum number of lines in a digest, within the size limits of chats. */
const maxLines = 40

const timeOf = ({ timestamp }: NotificationPayload, timeZone: string): string =>
  new Date(timestamp).toLocaleString('en-GB', {
    ...{ timeZone, weekday: 'short', hour: '2-digit', minute: '2-digit' },
  })

/** Returns the line below a digest that mentions omitted events. */
export const andMore = (more: number): string[] => (more > 0 ? [`And ${more} more, which are in the console.`] : [])

type Told = Exclude<NotificationPayload['data'], ChannelNotice>

/** Rest of the title after the record's name, by event type. */
const becameOf = {
  'deployment.approval_requested': 'waits for approval',
  'deployment.started': 'has started',
  'deployment.frozen': 'waits for the end of a freeze',
  'deployment.paused': 'waits for a person',
  'deployment.approval_expires_soon': 'waits for approval, and not for long any more',
  'deployment.pause_expires_soon': 'waits for a person, and not for long any more',
  'deployment.succeeded': 'is live',
  'deployment.failed': 'has failed',
  'deployment.rolled_back': 'was rolled back',
  'deployment.cancelled': 'was cancelled',
  'pipeline_run.approval_requested': 'waits for approval',
  'pipeline_run.version_approval_requested': 'waits for its version to be approved',
  'pipeline_run.approval_expires_soon': 'waits for approval, and not for long any more',
  'pipeline_run.frozen': 'waits for the end of a freeze',
  'pipeline_run.succeeded': 'has succeeded',
  'pipeline_run.failed': 'has failed',
  'pipeline_run.cancelled': 'was cancelled',
  'hold.placed': 'is held',
  'hold.lifted': 'is held no more',
  'stack.drifted': 'has drifted',
  'files.drifted': 'is not as its files say any more',
  'preview.teardown_failed': 'could not be torn down',
  'cloud_account.disconnected': 'is not connected any more',
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
  if (isOfChannel(type))
    return {
      title: titlesOfChannels[type],
      facts: [{ label: type === 'channel.test' ? 'Test' : 'Channel', value: sentenceOf(data) }],
      url: undefined,
    }
  const told = data as Told
  const { name, ...facts } = subjectOf(told)
  return { title: `${name} ${becameOf[type]}`, facts: known(facts), url: told.url }
}

/** Returns the message of an event about channels. */
const sentenceOf = (data: NotificationPayload['data']): string => (data as ChannelNotice).message

/** Name of a record in a title, with labelled details. */
type Subject = { name: string } & Record<string, string | undefined>

function subjectOf(told: Told): Subject {
  if ('deploymentId' in told) return deployment(told)
  if ('holdId' in told) return held(told)
  if ('stack' in told) return stack(told)
  if ('watchedRepositoryId' in told) return files(told)
  if ('previewEnvironmentId' in told) return preview(told)
  if ('certificateId' in told) return certificate(told)
  if ('auditEvent' in told) return auditLine(told)
  return 'cloudAccount' in told ? cloudAccount(told) : run(told)
}

const deployment = ({ project, environment, moduleInstance, ...told }: DeploymentNotice): Subject => ({
  name: `The deployment of ${short(moduleInstance.name)} to ${short(environment.name)}`,
  Project: project.name,
  Environment: environment.name,
  'Module instance': moduleInstance.name,
  Description: told.description,
  ...asked(told),
})

const run = ({ project, pipeline, step, ...told }: PipelineRunNotice): Subject => ({
  name: `Run ${told.number} of ${short(pipeline.name)}`,
  Project: project.name,
  Pipeline: pipeline.name,
  Step: step?.name,
  ...asked(told),
})

const asked = (told: Pick<DeploymentNotice, 'triggeredBy' | 'message' | 'expiresAt' | 'error'>) => ({
  'Asked for by': told.triggeredBy,
  'Waits for': told.message,
  Until: told.expiresAt,
  Why: told.error,
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

const preview = ({ givenId, project, pullRequest, ...told }: PreviewNotice): Subject => ({
  name: `The preview environment ${short(givenId)}`,
  Project: project.name,
  'Pull request': String(pullRequest),
  Failures: String(told.failedTeardowns),
  'Tried again': told.retryAt,
  Why: told.error,
})

const cloudAccount = ({ cloudAccount: { name }, error }: CloudAccountNotice): Subject => ({
  name: `The cloud account ${short(name)}`,
  Why: error,
})

const certificate = ({ names, ...told }: CertificateNotice): Subject => ({
  name: `The certificate of ${short(names[0] ?? told.certificateId)}`,
  Names: names.join(', '),
  'Cloud account': told.cloudAccount.name,
  Ends: told.expiresAt,
  Why: told.error,
})

const auditLine = ({ auditEvent: { action, actorName, resourceId } }: AuditNotice): Subject => ({
  name: short(action),
  By: actorName,
  Record: resourceId,
})

const known = (facts: Record<string, string | undefined>): Notice['facts'] =>
  Object.entries(facts).flatMap(([label, value]) =>
    value === undefined || value.trim() === '' ? [] : [{ label, value: cut(value, maxValueLength) }],
  )

/** Maximum length of user-written text in chats, in characters, within their size limits. */
const maxValueLength = 600
const short = (name: string): string => cut(name, 60)

/** Truncates text with an ellipsis. */
export const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`
