import { andMore, type Digest, type Notice } from './notice.ts'

/**
 * Returns a message with an Adaptive Card for Teams workflows. User-written text is in text runs, which have no markup.
 * https://adaptivecards.io/explorer/RichTextBlock.html, read 2026-11-25
 */
export const teamsMessage = (message: Notice | Digest) => ({
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
          textBlock(run(message.title, { weight: 'Bolder', size: 'Large' })),
          ...('lines' in message ? digestLines(message) : factLines(message)),
        ],
        actions: 'url' in message && message.url !== undefined ? [open('Open in Sluice', message.url)] : [],
      },
    },
  ],
})

const factLines = ({ facts }: Notice) =>
  facts.map(({ label, value }) => textBlock(run(`${label}: `, { weight: 'Bolder' }), run(value)))

const digestLines = ({ lines, more }: Digest) => [
  ...lines.map(({ at, title, url }) =>
    textBlock(run(`${at}  `), { ...run(title), ...(url !== undefined && { selectAction: open(title, url) }) }),
  ),
  ...andMore(more).map((sentence) => textBlock(run(sentence))),
]

const open = (title: string, url: string) => ({ type: 'Action.OpenUrl', title, url })
const textBlock = (...inlines: object[]) => ({ type: 'RichTextBlock', inlines })
const run = (text: string, look: { weight?: string; size?: string } = {}) => ({ type: 'TextRun', text, ...look })
