import type { ChannelKind, NotificationDelivery, NotificationType, Severity } from '@sluice/contract'

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
  { type: 'pipeline_run.approval_expires_soon', label: 'The time to approve a step is over soon' },
  { type: 'pipeline_run.frozen', label: 'A run waits for the end of a freeze' },
  { type: 'pipeline_run.succeeded', label: 'A run succeeds' },
  { type: 'pipeline_run.failed', label: 'A run fails' },
  { type: 'pipeline_run.cancelled', label: 'A run is cancelled' },
  { type: 'hold.began', label: 'An instance or an environment is held' },
  { type: 'hold.released', label: 'What was held is let go' },
  { type: 'stack.drifted', label: 'A stack drifts' },
  { type: 'cloud_account.disconnected', label: 'A cloud account is not connected any more' },
  { type: 'cloud_account.connected', label: 'A cloud account is connected' },
  { type: 'certificate.expires_soon', label: 'A certificate ends soon and is not renewed' },
  { type: 'certificate.unusable', label: 'A certificate is not issued, is gone, or ends' },
] as const satisfies { type: NotificationType; label: string }[]

/** What happened, in words; what is told of channels themselves is nothing that one asks for. */
export const happened = (type: NotificationDelivery['payload']['type']): string =>
  happenings.find((one) => one.type === type)?.label ??
  (type === 'channel.broken' ? 'Another channel is broken' : 'A test')

/** How much it must matter, as people read it. */
export const severityNames = {
  INFO: 'All of it',
  WARNING: 'What wants a look',
  CRITICAL: 'What cannot wait',
} as const satisfies Record<Severity, string>

export const kindNames = {
  SLACK: 'Slack',
  TEAMS: 'Microsoft Teams',
  EMAIL: 'Mail',
  PAGERDUTY: 'PagerDuty',
  WEBHOOK: 'Signed webhook',
} as const satisfies Record<ChannelKind, string>
export const kinds = Object.keys(kindNames) as ChannelKind[]

/** What came of a delivery so far. */
export function resultOf({ attempts, nextAttemptAt }: NotificationDelivery): string {
  const last = attempts.at(-1)
  if (!last) return nextAttemptAt === undefined ? 'It was not tried.' : 'It is about to be sent.'
  return last.error ?? [`Answered ${last.status}`, last.answer].filter(Boolean).join(': ')
}
