import { cut, type Notice } from './notice.ts'

/** A mail in plain text, where nothing that people wrote is markup. */
export const mailOf = ({ title, facts, url }: Notice, to: keyof typeof footers): { subject: string; text: string } => ({
  subject: cut(title.replaceAll(/\s+/g, ' '), longestSubject),
  text: [
    title,
    facts.map(({ label, value }) => `${label}: ${value}`).join('\n'),
    ...(url === undefined ? [] : [url]),
    footers[to],
  ].join('\n\n'),
})

/** What fits in a line of a mail. Characters. */
const longestSubject = 200

const footers = {
  recipients: '-- \nSent by Sluice, as an admin of the organization has set up. Settings, Notifications changes it.',
  owners: '-- \nSent by Sluice to the owners of the organization. Settings, Notifications shows the channel.',
} as const
