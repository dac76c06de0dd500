import type { Decision, NotificationPayload } from '@sluice/contract'
import { messageOf } from '../notification-deliveries/messages/notice.ts'
import { slackMessage, slackSentence } from '../notification-deliveries/messages/slack.ts'

/**
 * What is posted where Slack takes the answer to a press.
 * https://docs.slack.dev/interactivity/handling-user-interaction, read 2026-11-26
 */
export type Reply = { replace_original: boolean; response_type?: 'ephemeral'; text: string; blocks: object[] }

/** The message anew, for everybody: who decided what, and the buttons where it still waits. */
export function decidedReply(
  delivery: { id: string; payload: NotificationPayload },
  channel: { timeZone: string },
  { decisions, waits }: { decisions: readonly Said[]; waits: boolean },
): Reply {
  const said = decisions.map(({ kind, actor, createdAt }) => {
    const at = new Date(createdAt).toLocaleString('en-GB', {
      ...{ timeZone: channel.timeZone, weekday: 'short', hour: '2-digit', minute: '2-digit', timeZoneName: 'short' },
    })
    return `${words[kind]} by ${actor.name}, ${at}`
  })
  const message = slackMessage(messageOf([delivery], channel), { said, ...(waits && { asking: delivery }) })
  return { replace_original: true, ...message }
}

/** Of a decision, what a message says. */
export type Said = { kind: keyof typeof words; actor: Pick<Decision['actor'], 'name'>; createdAt: string }

const words = {
  APPROVED: 'Approved',
  WITHDRAWN: 'Approval taken back',
  REJECTED: 'Rejected',
  CONTINUED: 'Continued',
  CANCELLED: 'Rolled back or cancelled',
} as const satisfies Partial<Record<Decision['kind'], string>>

export const isSaid = (decision: Decision): decision is Decision & Said => decision.kind in words

/** Something that whoever pressed is told alone; the message stays as it is. */
export const aloneReply = (sentence: string, link?: { label: string; url: string }): Reply => ({
  response_type: 'ephemeral',
  replace_original: false,
  ...slackSentence(sentence, link),
})
