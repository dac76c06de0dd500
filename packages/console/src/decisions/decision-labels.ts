import type { ActorType, Channel, DecisionKind } from '@sluice/contract'

/** Describes decisions, as a verb phrase after the actor. */
export const decisionPhrases = {
  CREATED: 'requested it',
  CONTINUED: 'continued it',
  PAUSE_EXPIRED: 'continued it when the pause expired',
  CANCELLED: 'cancelled it',
  ROLLED_BACK: 'rolled it back',
  SUPERSEDED: 'superseded it',
  APPROVED: 'approved it',
  REJECTED: 'rejected it',
  WITHDRAWN: 'withdrew their approval of it',
  ENDED: 'ended it',
} as const satisfies Record<DecisionKind, string>

/** Describes a decision about a record, or about a step of it. */
export const describeDecision = (kind: DecisionKind, stepName: string | undefined): string =>
  stepName === undefined ? decisionPhrases[kind] : decisionPhrases[kind].replace(/\bit\b/, `the step ${stepName}`)

/** Display names of channels. */
export const channelLabels = {
  CONSOLE: 'console',
  CLI: 'CLI',
  API: 'API',
  AGENT: 'agent',
  SLACK: 'Slack',
  WEBHOOK: 'webhook',
  SCHEDULE: 'schedule',
  CLOUD_EVENT: 'cloud event',
  PIPELINE: 'pipeline',
  SERVICE: 'Sluice',
} as const satisfies Record<Channel, string>

export const actorLabels = {
  MEMBERSHIP: 'member',
  SERVICE_ACCOUNT: 'service account',
  PIPELINE_RUN: 'pipeline run',
  SERVICE: 'Sluice',
} as const satisfies Record<ActorType, string>
