import type { Notice } from './notice.ts'

/**
 * A message with an Adaptive Card, as workflows of Teams take it. What people wrote stands in runs of text, which know
 * no markup. https://adaptivecards.io/explorer/RichTextBlock.html, read 2026-11-25
 */
export const teamsMessage = ({ title, facts, url }: Notice) => ({
  type: 'message',
  attachments: [
    {
      contentType: 'application/vnd.microsoft.card.adaptive',
      contentUrl: null,
      content: {
        $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
        type: 'AdaptiveCard',
        version: '1.4',
        body: [
          textBlock(run(title, { weight: 'Bolder', size: 'Large' })),
          ...facts.map(({ label, value }) => textBlock(run(`${label}: `, { weight: 'Bolder' }), run(value))),
        ],
        actions: url === undefined ? [] : [{ type: 'Action.OpenUrl', title: 'Open in Sluice', url }],
      },
    },
  ],
})

const textBlock = (...inlines: object[]) => ({ type: 'RichTextBlock', inlines })
const run = (text: string, look: { weight?: string; size?: string } = {}) => ({ type: 'TextRun', text, ...look })
