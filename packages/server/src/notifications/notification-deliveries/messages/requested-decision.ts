import type { NotificationPayload } from '@sluice/contract'

/** Decisions with a button: the last path segment of their operation. */
export const choiceIds = ['approve', 'reject', 'continue', 'cancel'] as const
export type ChoiceId = (typeof choiceIds)[number]

export const isChoiceId = (text: string | undefined): text is ChoiceId =>
  (choiceIds as readonly (string | undefined)[]).includes(text)

/** Pending decision as a message described it, so that a button decides exactly that. */
export type DecisionRequest = {
  /** API path of the record to decide about. */
  record: string
  choices: readonly ChoiceId[]
  /** Sent with the decision, which is rejected if the record has changed in this respect. */
  seen: { releaseDigest: string } | { requestedAt: string } | { hookId: string }
  /** Time of the request for a decision. */
  since: string
}

/** Returns the decision that a notification requests, or undefined. */
export function requestedDecision({ data, timestamp }: NotificationPayload): DecisionRequest | undefined {
  if ('deploymentId' in data) {
    const { deploymentId, releaseDigest, hookId } = data
    const record = `/deployments/${deploymentId}`
    if (releaseDigest !== undefined)
      return { record, choices: ['approve', 'reject'], seen: { releaseDigest }, since: timestamp }
    if (hookId !== undefined) return { record, choices: ['continue', 'cancel'], seen: { hookId }, since: timestamp }
  }
  if ('step' in data && data.step && data.requestedAt !== undefined) {
    const { step, requestedAt } = data
    const record = `/pipeline-step-executions/${step.id}`
    return { record, choices: ['approve', 'reject'], seen: { requestedAt }, since: requestedAt }
  }
  return undefined
}
