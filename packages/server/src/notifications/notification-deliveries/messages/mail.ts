import { andMore, type Digest, type Notice, truncate } from './notice.ts'

/** Returns a message as plain text mail, in which user-written text cannot be markup. */
export const mailOf = (message: Notice | Digest, footer: string): { subject: string; text: string } => ({
  subject: truncate(message.title.replaceAll(/\s+/g, ' '), maxSubjectLength),
  text: [message.title, ...('lines' in message ? digestParts(message) : noticeParts(message)), footer].join('\n\n'),
})

const noticeParts = ({ facts, url }: Notice): string[] => [
  facts.map(({ label, value }) => `${label}: ${value}`).join('\n'),
  ...(url === undefined ? [] : [url]),
]

const digestParts = ({ lines, more }: Digest): string[] => [
  ...lines.map(({ at, title, url }) => [`${at}  ${title}`, ...(url === undefined ? [] : [url])].join('\n')),
  ...andMore(more),
]

/** Maximum length of a subject, in characters. */
const maxSubjectLength = 200

/** Footers that say why the recipient gets the mail and how to stop it. */
export const footers = {
  recipients:
    '-- \nSent by Sluice, as an admin of the organization has set up. Settings, Notification channels changes it.',
  owners: '-- \nSent by Sluice to the owners of the organization. Settings, Notification channels shows the channel.',
  person: (unsubscribeUrl: string) =>
    `-- \nSent by Sluice to you alone. Settings, Email notifications says about what; no more of it: ${unsubscribeUrl}`,
} as const
