import type { Decision, NotificationPayload } from '@sluice/contract'
import { messageOf } from '../notification-deliveries/messages/notice.ts'
import { slackMessage, slackSentence } from '../notification-deliveries/messages/slack.ts'

/**
 * Message posted to Slack's response URL. https://docs.slack.dev/interactivity/handling-user-interaction, read
 * 2026-11-26
 */
export type Reply = { replace_original: boolean; response_type?: 'ephemeral'; text: string; blocks: object[] }

/** Returns the updated message with the decisions and, while still pending, the buttons. */
export function decidedReply(
  delivery: { id: string; payload: NotificationPayload },
  channel: { timeZone: string },
  { decisions, waits }: { decisions: readonly ShownDecision[]; waits: boolean },
): Reply {
  const sentences = decisions.map(({ kind, actor, createdAt }) => {
    const at = new Date(createdAt).toLocaleString('en-GB', {
      timeZone: channel.timeZone,
      weekday: 'short',
      hour: '2-digit',
      minute: '2-digit',
      timeZoneName: 'short',
    })
    return `${words[kind]} by ${actor.name}, ${at}`
  })
  const message = slackMessage(messageOf([delivery], channel), {
    decisions: sentences,
    ...(waits && { asking: delivery }),
  })
  return { replace_original: true, ...message }
}

/** Decision to mention in a message. */
export type ShownDecision = { kind: keyof typeof words; actor: Pick<Decision['actor'], 'name'>; createdAt: string }

const words = {
  APPROVED: 'Approved',
  WITHDRAWN: 'Approval withdrawn',
  REJECTED: 'Rejected',
  CONTINUED: 'Continued',
  CANCELLED: 'Rolled back or cancelled',
} as const satisfies Partial<Record<Decision['kind'], string>>

export const isShown = (decision: Decision): decision is Decision & ShownDecision => decision.kind in words

/** Returns a private reply to the user who pressed the button. */
export const privateReply = (sentence: string, link?: { label: string; url: string }): Reply => ({
  response_type: 'ephemeral',
  replace_original: false,
  ...slackSentence(sentence, link),
})
