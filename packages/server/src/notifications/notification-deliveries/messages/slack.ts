import { cut, type Notice } from './notice.ts'

/**
 * A message in Block Kit. What people wrote stands in plain text, where nothing is markup, so that it mentions nobody
 * and links nowhere. https://docs.slack.dev/reference/block-kit/blocks, read 2026-11-25
 */
export function slackMessage({ title, facts, url }: Notice) {
  return {
    // For notifications and screen readers; it is read as markup.
    text: escaped(title),
    blocks: [
      { type: 'header', text: plain(cut(title, longestHeader)) },
      ...(facts.length === 0
        ? []
        : [{ type: 'section', fields: facts.map(({ label, value }) => plain(`${label}\n${value}`)) }]),
      ...(url === undefined
        ? []
        : [{ type: 'section', text: { type: 'mrkdwn', text: `<${escaped(url)}|Open in Sluice>` } }]),
    ],
  }
}

const plain = (text: string) => ({ type: 'plain_text', text, emoji: false })

/** Slack refuses longer ones. Characters. */
const longestHeader = 150

/** https://docs.slack.dev/messaging/formatting-message-text#escaping */
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
