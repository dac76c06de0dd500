import { createTransport } from 'nodemailer'
import type { Logger } from 'pino'

export type Mail = {
  to: readonly string[]
  subject: string
  text: string
  /** Unique id of the mail; the same when a mail is sent again. */
  id: string
  /** Id of the thread in which mail programs group mails on the same subject. */
  thread: string
  /** URL for one-click unsubscription (RFC 8058). */
  unsubscribeUrl?: string | undefined
}

export type MailAnswer = { status: number; answer: string }

/** Sends a mail through the operator's mail server. Throws a `MailError` if the server cannot be used. */
export type SendMail = (mail: Mail) => Promise<MailAnswer>

/**
 * Failure to reach or use the mail server. Users see the message, so it reveals nothing about the operator's network.
 */
export class MailError extends Error {
  override readonly name = 'MailError'
}

type MailSettings = { smtpUrl: string; mailFrom: string; log: Logger }

/** Timeout for the connection, the greeting and each response, in milliseconds. */
const patienceMs = 10_000

export function createMailSender({ smtpUrl, mailFrom, log }: MailSettings): SendMail {
  const transport = createTransport({
    url: smtpUrl,
    connectionTimeout: patienceMs,
    greetingTimeout: patienceMs,
    socketTimeout: patienceMs,
    // Attachments from files and URLs are disabled, because the service's emails have no attachments.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const domain = mailFrom.replace(/^.*@/, '').replace(/>.*$/, '')
  const idOf = (text: string) => `<${text}@${domain}>`
  return async ({ to, subject, text, id, thread, unsubscribeUrl }) => {
    try {
      const { response, rejected } = await transport.sendMail({
        from: mailFrom,
        to: [...to],
        subject,
        text,
        messageId: idOf(id),
        inReplyTo: idOf(thread),
        references: idOf(thread),
        headers: {
          'Auto-Submitted': 'auto-generated', // suppresses vacation replies (RFC 3834)
          ...(unsubscribeUrl !== undefined && {
            'List-Unsubscribe': `<${unsubscribeUrl}>`,
            'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
          }),
        },
      })
      const refused = rejected.length === 0 ? '' : ` Not taken for ${rejected.join(', ')}.`
      return { status: 250, answer: response + refused }
    } catch (error) {
      const answer = rejectionIn(error)
      if (answer) return answer
      log.warn({ err: error }, 'a mail could not be sent')
      throw new MailError(
        'The mail server of this installation could not be used; its operator finds why in the log of the service.',
        { cause: error },
      )
    }
  }
}

/** Returns the server's response if it rejected the sender, a recipient or the content; undefined for other errors. */
function rejectionIn(error: unknown): MailAnswer | undefined {
  if (!(error instanceof Error)) return undefined
  const code: unknown = Reflect.get(error, 'code')
  const status: unknown = Reflect.get(error, 'responseCode')
  const answer: unknown = Reflect.get(error, 'response')
  const isAboutMail = code === 'EENVELOPE' || code === 'EMESSAGE'
  return isAboutMail && typeof status === 'number' && typeof answer === 'string' ? { status, answer } : undefined
}
