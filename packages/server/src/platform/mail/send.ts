import { createTransport } from 'nodemailer'
import type { Logger } from 'pino'

export type Mail = {
  to: readonly string[]
  subject: string
  text: string
  /** What tells it from all others: a mail that is sent again has the same. */
  id: string
  /** What it is about: mails about the same are one thread. */
  thread: string
  /** Where a mail program tells that nobody wants more of it (RFC 8058). */
  unsubscribeUrl?: string | undefined
}

/** What the mail server answered. */
export type MailAnswer = { status: number; answer: string }

/** Sends a mail by the operator's server; throws a `MailError` where that said nothing about it. */
export type SendMail = (mail: Mail) => Promise<MailAnswer>

/** Why a mail was not even refused. It names nothing of the operator's network. */
export class MailError extends Error {
  override readonly name = 'MailError'
}

type MailSettings = { smtpUrl: string; mailFrom: string; log: Logger }

/** To connect, to be greeted, and between two answers. Milliseconds. */
const patienceMs = 10_000

export function createMail({ smtpUrl, mailFrom, log }: MailSettings): SendMail {
  const transport = createTransport({
    url: smtpUrl,
    ...{ connectionTimeout: patienceMs, greetingTimeout: patienceMs, socketTimeout: patienceMs },
    // Nothing in a mail names a file or an address to read.
    ...{ disableFileAccess: true, disableUrlAccess: true },
  })
  const domain = mailFrom.replace(/^.*@/, '').replace(/>.*$/, '')
  const idOf = (text: string) => `<${text}@${domain}>`
  return async ({ to, subject, text, id, thread, unsubscribeUrl }) => {
    try {
      const { response, rejected } = await transport.sendMail({
        ...{ from: mailFrom, to: [...to], subject, text },
        ...{ messageId: idOf(id), inReplyTo: idOf(thread), references: idOf(thread) },
        headers: {
          'Auto-Submitted': 'auto-generated', // RFC 3834: nobody's holiday answers it
          ...(unsubscribeUrl !== undefined && {
            'List-Unsubscribe': `<${unsubscribeUrl}>`,
            'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
          }),
        },
      })
      const refused = rejected.length === 0 ? '' : ` Not taken for ${rejected.join(', ')}.`
      return { status: 250, answer: response + refused }
    } catch (error) {
      const answer = refusalIn(error)
      if (answer) return answer
      log.warn({ err: error }, 'a mail could not be sent')
      throw new MailError(
        'The mail server of this installation could not be used; its operator finds why in the log of the service.',
        { cause: error },
      )
    }
  }
}

/** What the server said about the mail itself: of whom it is from, whom it is to, or what is in it. */
function refusalIn(error: unknown): MailAnswer | undefined {
  if (!(error instanceof Error)) return undefined
  const code: unknown = Reflect.get(error, 'code')
  const status: unknown = Reflect.get(error, 'responseCode')
  const answer: unknown = Reflect.get(error, 'response')
  const isAboutMail = code === 'EENVELOPE' || code === 'EMESSAGE'
  return isAboutMail && typeof status === 'number' && typeof answer === 'string' ? { status, answer } : undefined
}
