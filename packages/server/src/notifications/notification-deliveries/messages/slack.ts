import type { NotificationPayload } from '@sluice/contract'
import { andMore, cut, type Digest, type Notice } from './notice.ts'
import { type ChoiceId, questionIn } from './question.ts'

/**
 * A message in Block Kit. What people wrote stands in plain text, where nothing is markup, so that it mentions nobody
 * and links nowhere. https://docs.slack.dev/reference/block-kit/blocks, read 2026-11-25
 */
export function slackMessage(message: Notice | Digest, { said = [], asking }: Beside = {}) {
  const { title } = message
  return {
    // For notifications and screen readers; it is read as markup.
    text: escaped(title),
    blocks: [
      { type: 'header', text: plain(cut(title, longestHeader)) },
      ...('lines' in message ? digestBlocks(message) : noticeBlocks(message)),
      ...(said.length === 0 ? [] : [{ type: 'section', text: plain(cut(said.join('\n'), longestSection)) }]),
      ...(asking === undefined ? [] : actionsOf(asking)),
    ],
  }
}

type Beside = {
  /** What was decided since, a line each. */
  said?: readonly string[]
  /** The delivery that the message is, where it may have buttons. */
  asking?: { id: string; payload: NotificationPayload }
}

/** A sentence to one person, and where they go on. */
export const slackSentence = (sentence: string, link?: { label: string; url: string }) => ({
  text: escaped(sentence),
  blocks: [{ type: 'section', text: plain(cut(sentence, longestSection)) }, ...(link ? [linkBlock(link)] : [])],
})

/** The buttons of a message: each says which delivery it stands in, from which all that was told follows. */
function actionsOf({ id, payload }: { id: string; payload: NotificationPayload }) {
  const { choices = [] } = questionIn(payload) ?? {}
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

/** Rich text has no markup either, and links that are elements of their own. */
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

/** Slack refuses longer ones. Characters. */
const longestHeader = 150
const longestSection = 3_000

/** What ends something asks once more. */
const ending = (label: string, question: string) => ({
  ...{ text: plain(label), style: 'danger' },
  confirm: { title: plain(label), text: plain(question), confirm: plain(label), deny: plain('No') },
})

const buttons = {
  approve: { text: plain('Approve'), style: 'primary' },
  reject: ending('Reject', 'It is not released, and ends here.'),
  continue: { text: plain('Continue'), style: 'primary' },
  cancel: ending('Roll back', 'What it has released so far is undone, and it ends.'),
} as const satisfies Record<ChoiceId, object>

/** https://docs.slack.dev/messaging/formatting-message-text#escaping */
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
