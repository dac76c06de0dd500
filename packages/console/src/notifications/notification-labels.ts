import {
  auditType,
  type ChannelFormat,
  type ChannelKind,
  type Digest,
  type NotificationChannel,
  type NotificationDelivery,
  type NotificationTopic,
  type Severity,
  type SlackAccount,
  type SlackLink,
  type SubscribableType,
  type Weekday,
} from '@sluice/contract'

/** Labels of the events that channels can receive, in the order of a release. */
export const selectableEvents = [
  { type: 'deployment.approval_requested', label: 'Deployment waiting for approval' },
  { type: 'deployment.started', label: 'Deployment started' },
  { type: 'deployment.frozen', label: 'Deployment blocked by a freeze' },
  { type: 'deployment.paused', label: 'Deployment paused' },
  { type: 'deployment.approval_expires_soon', label: 'Deployment approval about to expire' },
  { type: 'deployment.pause_expires_soon', label: 'Deployment pause about to expire' },
  { type: 'deployment.succeeded', label: 'Deployment succeeded' },
  { type: 'deployment.failed', label: 'Deployment failed' },
  { type: 'deployment.rolled_back', label: 'Deployment rolled back' },
  { type: 'deployment.cancelled', label: 'Deployment cancelled' },
  { type: 'pipeline_run.approval_requested', label: 'Run waiting for approval' },
  { type: 'pipeline_run.version_approval_requested', label: 'Pipeline version waiting for approval' },
  { type: 'pipeline_run.approval_expires_soon', label: 'Step approval about to expire' },
  { type: 'pipeline_run.frozen', label: 'Run blocked by a freeze' },
  { type: 'pipeline_run.succeeded', label: 'Run succeeded' },
  { type: 'pipeline_run.failed', label: 'Run failed' },
  { type: 'pipeline_run.cancelled', label: 'Run cancelled' },
  { type: 'hold.placed', label: 'Hold placed on an instance or environment' },
  { type: 'hold.lifted', label: 'Hold lifted' },
  { type: 'stack.drifted', label: 'Drift found in a stack' },
  { type: 'files.drifted', label: 'Project drifted from its watched files' },
  { type: 'preview.teardown_failed', label: 'Preview environment teardown failed' },
  { type: 'cloud_account.disconnected', label: 'Cloud account disconnected' },
  { type: 'cloud_account.connected', label: 'Cloud account connected' },
  { type: 'certificate.expires_soon', label: 'Certificate about to expire' },
  { type: 'certificate.unusable', label: 'Certificate not issued, deleted, or expired' },
] as const satisfies { type: SubscribableType; label: string }[]

/** Additional event for webhooks. */
export const auditEvent = { type: auditType, label: 'Audit event recorded' } as const

/** Returns the label of an event. Events about channels can't be selected. */
export const eventLabel = (type: NotificationDelivery['payload']['type']): string =>
  [...selectableEvents, auditEvent].find((one) => one.type === type)?.label ??
  (type === 'channel.broken' ? 'Another channel is broken' : 'Test')

/** Labels of the minimum severity. */
export const severityLabels = {
  INFO: 'All',
  WARNING: 'Warning and critical',
  CRITICAL: 'Critical only',
} as const satisfies Record<Severity, string>

/** Labels of notification topics. */
export const topicLabels = {
  STARTED: 'Failures, rollbacks, and pauses of what I started',
  APPROVALS: 'Approvals that I can give',
  CRITICAL: 'Critical events (owners only)',
  FOLLOWED: 'Events that I follow',
} as const satisfies Record<NotificationTopic, string>

export const digestLabels = {
  NONE: 'Immediately',
  HOURLY: 'Hourly digest',
  DAILY: 'Daily digest at 9:00',
} as const satisfies Record<Digest, string>

export const weekdayLabels = {
  MON: 'Mon',
  TUE: 'Tue',
  WED: 'Wed',
  THU: 'Thu',
  FRI: 'Fri',
  SAT: 'Sat',
  SUN: 'Sun',
} as const satisfies Record<Weekday, string>

/** Describes digest and quiet hours. */
export function describeDeliverySchedule({
  quietHours,
  digest,
  timeZone,
}: Pick<NotificationChannel, 'quietHours' | 'digest' | 'timeZone'>): string {
  if (quietHours.length === 0 && digest === 'NONE') return 'Immediately'
  const quiet = quietHours.map(({ from, until, days }) => {
    const named = days.length === 7 ? 'every day' : days.map((day) => weekdayLabels[day]).join(', ')
    return `${from} to ${until} (${named})`
  })
  const isQuiet = quiet.length > 0 ? [`quiet from ${quiet.join(' and ')}`] : []
  return [digestLabels[digest], ...isQuiet, timeZone].join('; ')
}

export const formatLabels = {
  STANDARD: 'Sluice events',
  CDEVENTS: 'CDEvents where a type exists',
} as const satisfies Record<ChannelFormat, string>

export const channelTypeLabels = {
  SLACK: 'Slack',
  TEAMS: 'Microsoft Teams',
  EMAIL: 'Email',
  TEAM_MEMBERS: 'Team members',
  PAGERDUTY: 'PagerDuty',
  WEBHOOK: 'Signed webhook',
} as const satisfies Record<ChannelKind, string>
export const channelTypes = Object.keys(channelTypeLabels) as ChannelKind[]

/** Describes the result of a delivery so far. */
export function describeDeliveryResult({ attempts, nextAttemptAt, isHeldBack }: NotificationDelivery): string {
  const last = attempts.at(-1)
  if (!last && nextAttemptAt === undefined) return 'Not sent.'
  if (!last) return isHeldBack ? 'Held until quiet hours end, or for a digest.' : 'Sending soon.'
  return last.error ?? [`Response ${last.status}`, last.answer].filter(Boolean).join(': ')
}

/** Returns the name of a Slack account with its ID, because users can change their names. */
export const slackAccountName = ({
  slackUser,
  slackUserName,
  slackTeam,
  slackTeamName,
}: SlackLink | SlackAccount): string => {
  const name = slackUserName === undefined ? slackUser : `${slackUserName} (${slackUser})`
  return `${name} in ${slackTeamName === undefined ? slackTeam : `${slackTeamName} (${slackTeam})`}`
}
