import type { NotificationPayload } from '@sluice/contract'

/** What can be decided with buttons: the last part of the path of its operation. */
export const choiceIds = ['approve', 'reject', 'continue', 'cancel'] as const
export type ChoiceId = (typeof choiceIds)[number]

export const isChoiceId = (text: string | undefined): text is ChoiceId =>
  (choiceIds as readonly (string | undefined)[]).includes(text)

/** Something that waits for somebody, as a message told it: what an operation decides about is exactly that. */
export type Question = {
  /** The path of the record. */
  record: string
  choices: readonly ChoiceId[]
  /** What goes along with the decision, so that it is refused where the record asks something else by now. */
  seen: { releaseDigest: string } | { requestedAt: string } | { hookId: string }
  /** Since when it has been asked. */
  since: string
}

/** What there is to decide about what is told; undefined where nothing waits. */
export function questionIn({ data, timestamp }: NotificationPayload): Question | undefined {
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
