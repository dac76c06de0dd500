import type { ActorType, Channel, DecisionKind } from '@sluice/contract'

/** What was decided, as the verb after who did. */
export const decided = {
  CREATED: 'asked for it',
  CONTINUED: 'let it go on',
  PAUSE_EXPIRED: 'let it go on',
  CANCELLED: 'cancelled it',
  ROLLED_BACK: 'turned it back',
  SUPERSEDED: 'had it give way',
  APPROVED: 'approved it',
  REJECTED: 'turned it down',
  WITHDRAWN: 'took back their approval',
  ENDED: 'ended it',
} as const satisfies Record<DecisionKind, string>

/** By what something came, as people say it. */
export const channelNames = {
  CONSOLE: 'console',
  CLI: 'command line',
  API: 'API',
  AGENT: 'agent',
  SLACK: 'Slack',
  WEBHOOK: 'webhook',
  SCHEDULE: 'schedule',
  CLOUD_EVENT: 'cloud event',
  PIPELINE: 'pipeline',
  SERVICE: 'Sluice itself',
} as const satisfies Record<Channel, string>

export const actorNames = {
  MEMBERSHIP: 'member',
  SERVICE_ACCOUNT: 'service account',
  PIPELINE_RUN: 'pipeline run',
  SERVICE: 'Sluice itself',
} as const satisfies Record<ActorType, string>
