import { andMore, cut, type Digest, type Notice } from './notice.ts'

/**
 * A message in Block Kit. What people wrote stands in plain text, where nothing is markup, so that it mentions nobody
 * and links nowhere. https://docs.slack.dev/reference/block-kit/blocks, read 2026-11-25
 */
export function slackMessage(message: Notice | Digest) {
  const { title } = message
  return {
    // For notifications and screen readers; it is read as markup.
    text: escaped(title),
    blocks: [
      { type: 'header', text: plain(cut(title, longestHeader)) },
      ...('lines' in message ? digestBlocks(message) : noticeBlocks(message)),
    ],
  }
}

const noticeBlocks = ({ facts, url }: Notice) => [
  ...(facts.length === 0
    ? []
    : [{ type: 'section', fields: facts.map(({ label, value }) => plain(`${label}\n${value}`)) }]),
  ...(url === undefined
    ? []
    : [{ type: 'section', text: { type: 'mrkdwn', text: `<${escaped(url)}|Open in Sluice>` } }]),
]

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

/** https://docs.slack.dev/messaging/formatting-message-text#escaping */
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
