import { cut, type Notice } from './notice.ts'

/** A mail in plain text, where nothing that people wrote is markup. */
export const mailOf = ({ title, facts, url }: Notice): { subject: string; text: string } => ({
  subject: cut(title.replaceAll(/\s+/g, ' '), longestSubject),
  text: [
    title,
    facts.map(({ label, value }) => `${label}: ${value}`).join('\n'),
    ...(url === undefined ? [] : [url]),
    footer,
  ].join('\n\n'),
})

/** What fits in a line of a mail. Characters. */
const longestSubject = 200

const footer = '-- \nSent by Sluice, as an admin of the organization has set up. Settings, Notifications changes it.'
