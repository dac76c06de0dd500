import type { NotificationPayload } from '@sluice/contract'
import { andMore, type Digest, type Notice, truncate } from './notice.ts'
import { type ChoiceId, requestedDecision } from './requested-decision.ts'

/**
 * Returns a Block Kit message. User-written text is in plain text elements, so that it cannot mention users or contain
 * links. https://docs.slack.dev/reference/block-kit/blocks, read 2026-11-25
 */
export function slackMessage(message: Notice | Digest, { decisions = [], asking }: Beside = {}) {
  const { title } = message
  return {
    // Fallback for notifications and screen readers, in which Slack interprets markup.
    text: escaped(title),
    blocks: [
      { type: 'header', text: plain(truncate(title, maxHeaderLength)) },
      ...('lines' in message ? digestBlocks(message) : noticeBlocks(message)),
      ...(decisions.length === 0
        ? []
        : [{ type: 'section', text: plain(truncate(decisions.join('\n'), maxSectionLength)) }]),
      ...(asking === undefined ? [] : actionsOf(asking)),
    ],
  }
}

type Beside = {
  /** Decisions made since, one line each. */
  decisions?: readonly string[]
  /** Delivery of the message, if it gets buttons. */
  asking?: { id: string; payload: NotificationPayload }
}

/** Returns a message to one user, with an optional link. */
export const slackSentence = (sentence: string, link?: { label: string; url: string }) => ({
  text: escaped(sentence),
  blocks: [{ type: 'section', text: plain(truncate(sentence, maxSectionLength)) }, ...(link ? [linkBlock(link)] : [])],
})

/** Returns the buttons of a message. Their value is the delivery id, from which the decision follows. */
function actionsOf({ id, payload }: { id: string; payload: NotificationPayload }) {
  const { choices = [] } = requestedDecision(payload) ?? {}
  if (choices.length === 0) return []
  const elements = choices.map((choice) => ({
    type: 'button',
    action_id: choice,
    value: id,
    ...buttons[choice],
  }))
  return [{ type: 'actions', elements }]
}

const noticeBlocks = ({ facts, url }: Notice) => [
  ...(facts.length === 0
    ? []
    : [{ type: 'section', fields: facts.map(({ label, value }) => plain(`${label}\n${value}`)) }]),
  ...(url === undefined ? [] : [linkBlock({ label: 'Open in Sluice', url })]),
]

const linkBlock = ({ label, url }: { label: string; url: string }) => ({
  type: 'section',
  text: { type: 'mrkdwn', text: `<${escaped(url)}|${label}>` },
})

/** Rich text has no markup, and links are elements of their own. */
const digestBlocks = ({ lines, more }: Digest) => {
  const elements = lines.map(({ at, title, url }) => ({
    type: 'rich_text_section',
    elements: [text(`${at}  `), url === undefined ? text(title) : { type: 'link', url, text: title }],
  }))
  const rest = andMore(more).map((sentence) => ({ type: 'rich_text_section', elements: [text(sentence)] }))
  return [{ type: 'rich_text', elements: [{ type: 'rich_text_list', style: 'bullet', elements }, ...rest] }]
}

const text = (written: string) => ({ type: 'text', text: written })

const plain = (text: string) => ({ type: 'plain_text', text, emoji: false })

/** Slack's maximum lengths, in characters. */
const maxHeaderLength = 150
const maxSectionLength = 3_000

/** Returns a button with a confirmation, for decisions that end something. */
const ending = (label: string, question: string) => ({
  text: plain(label),
  style: 'danger',
  confirm: { title: plain(label), text: plain(question), confirm: plain(label), deny: plain('No') },
})

const buttons = {
  approve: { text: plain('Approve'), style: 'primary' },
  reject: ending('Reject', 'It is not released, and ends here.'),
  continue: { text: plain('Continue'), style: 'primary' },
  cancel: ending('Roll back', 'What it has released so far is undone, and it ends.'),
} as const satisfies Record<ChoiceId, object>

/** Escapes markup: https://docs.slack.dev/messaging/formatting-message-text#escaping */
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
