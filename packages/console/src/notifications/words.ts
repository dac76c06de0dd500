import {
  auditType,
  type ChannelFormat,
  type ChannelKind,
  type Digest,
  type FollowedType,
  type NotificationChannel,
  type NotificationDelivery,
  type NotificationTopic,
  type Severity,
  type SlackAccount,
  type SlackLink,
  type Weekday,
} from '@sluice/contract'

/** What a channel may be told of, as people read it, in the order in which things happen. */
export const happenings = [
  { type: 'deployment.approval_wanted', label: 'A deployment waits for approval' },
  { type: 'deployment.started', label: 'A deployment starts' },
  { type: 'deployment.frozen', label: 'A deployment waits for the end of a freeze' },
  { type: 'deployment.paused', label: 'A deployment waits for a person' },
  { type: 'deployment.approval_expires_soon', label: 'The time to approve a deployment is over soon' },
  { type: 'deployment.pause_expires_soon', label: 'A pause of a deployment ends by itself soon' },
  { type: 'deployment.succeeded', label: 'A deployment is live' },
  { type: 'deployment.failed', label: 'A deployment fails' },
  { type: 'deployment.rolled_back', label: 'A deployment is rolled back' },
  { type: 'deployment.cancelled', label: 'A deployment is cancelled' },
  { type: 'pipeline_run.approval_wanted', label: 'A run waits for approval' },
  { type: 'pipeline_run.version_approval_wanted', label: 'A version of a pipeline waits for approval' },
  { type: 'pipeline_run.approval_expires_soon', label: 'The time to approve a step is over soon' },
  { type: 'pipeline_run.frozen', label: 'A run waits for the end of a freeze' },
  { type: 'pipeline_run.succeeded', label: 'A run succeeds' },
  { type: 'pipeline_run.failed', label: 'A run fails' },
  { type: 'pipeline_run.cancelled', label: 'A run is cancelled' },
  { type: 'hold.began', label: 'An instance or an environment is held' },
  { type: 'hold.released', label: 'What was held is let go' },
  { type: 'stack.drifted', label: 'A stack drifts' },
  { type: 'files.drifted', label: 'A project is not as its watched files say any more' },
  { type: 'preview.teardown_failed', label: 'A preview environment cannot be torn down' },
  { type: 'cloud_account.disconnected', label: 'A cloud account is not connected any more' },
  { type: 'cloud_account.connected', label: 'A cloud account is connected' },
  { type: 'certificate.expires_soon', label: 'A certificate ends soon and is not renewed' },
  { type: 'certificate.unusable', label: 'A certificate is not issued, is gone, or ends' },
] as const satisfies { type: FollowedType; label: string }[]

/** What programs may be told beside. */
export const auditHappening = { type: auditType, label: 'A line of the audit log is written' } as const

/** What happened, in words; what is told of channels themselves is nothing that one asks for. */
export const happened = (type: NotificationDelivery['payload']['type']): string =>
  [...happenings, auditHappening].find((one) => one.type === type)?.label ??
  (type === 'channel.broken' ? 'Another channel is broken' : 'A test')

/** How much it must matter, as people read it. */
export const severityNames = {
  INFO: 'All of it',
  WARNING: 'What wants a look',
  CRITICAL: 'What cannot wait',
} as const satisfies Record<Severity, string>

/** Why a person is written to. */
export const topicNames = {
  STARTED: 'What I started fails, is rolled back or waits for a person',
  APPROVALS: 'Something waits for an approval that I may give',
  CRITICAL: 'Something critical happens, while I am an owner',
  FOLLOWED: 'What I follow, as said below',
} as const satisfies Record<NotificationTopic, string>

export const digestNames = {
  NONE: 'At once',
  HOURLY: 'Every hour, in one message',
  DAILY: 'Every day at 9:00, in one message',
} as const satisfies Record<Digest, string>

export const weekdayNames = {
  MON: 'Mon',
  TUE: 'Tue',
  WED: 'Wed',
  THU: 'Thu',
  FRI: 'Fri',
  SAT: 'Sat',
  SUN: 'Sun',
} as const satisfies Record<Weekday, string>

/** When a channel is told of what can wait. */
export function rhythmInWords({
  quietHours,
  digest,
  timeZone,
}: Pick<NotificationChannel, 'quietHours' | 'digest' | 'timeZone'>): string {
  if (quietHours.length === 0 && digest === 'NONE') return 'Is told at once'
  const quiet = quietHours.map(({ from, until, days }) => {
    const named = days.length === 7 ? 'every day' : days.map((day) => weekdayNames[day]).join(', ')
    return `${from} to ${until} (${named})`
  })
  const isQuiet = quiet.length > 0 ? [`quiet from ${quiet.join(' and ')}`] : []
  return [digestNames[digest], ...isQuiet, timeZone].join('; ')
}

export const formatNames = {
  STANDARD: 'Sluice’s own form',
  CDEVENTS: 'CDEvents, where they have a type for it',
} as const satisfies Record<ChannelFormat, string>

export const kindNames = {
  SLACK: 'Slack',
  TEAMS: 'Microsoft Teams',
  EMAIL: 'Mail',
  TEAM_MEMBERS: 'The members of a team',
  PAGERDUTY: 'PagerDuty',
  WEBHOOK: 'Signed webhook',
} as const satisfies Record<ChannelKind, string>
export const kinds = Object.keys(kindNames) as ChannelKind[]

/** What came of a delivery so far. */
export function resultOf({ attempts, nextAttemptAt, isHeldBack }: NotificationDelivery): string {
  const last = attempts.at(-1)
  if (!last && nextAttemptAt === undefined) return 'It was not tried.'
  if (!last) return isHeldBack ? 'It waits for the end of quiet hours, or for others.' : 'It is about to be sent.'
  return last.error ?? [`Answered ${last.status}`, last.answer].filter(Boolean).join(': ')
}

/** Who somebody is at Slack: names there are what people choose, so the ids stand beside them. */
export const slackNameOf = ({
  slackUser,
  slackUserName,
  slackTeam,
  slackTeamName,
}: SlackLink | SlackAccount): string => {
  const name = slackUserName === undefined ? slackUser : `${slackUserName} (${slackUser})`
  return `${name} in ${slackTeamName === undefined ? slackTeam : `${slackTeamName} (${slackTeam})`}`
}
