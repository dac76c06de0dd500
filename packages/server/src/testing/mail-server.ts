import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'

/** Received mail: the envelope's recipients and the content. */
export type ReceivedMail = { to: string[]; content: string }

/** Starts a mail server that accepts all recipients except those at `refused`. */
export async function startMailServer({ refused = 'refused.example.com' } = {}) {
  const received: ReceivedMail[] = []
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onRcptTo({ address }, _session, done) {
      done(address.endsWith(`@${refused}`) ? Object.assign(new Error('No such mailbox'), { responseCode: 550 }) : null)
    },
    onData(stream, { envelope }, done) {
      text(stream).then((content) => {
        received.push({ to: envelope.rcptTo.map(({ address }) => address), content })
        done()
      }, done)
    },
  })
  const listening = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  return {
    url: `smtp://127.0.0.1:${(listening.address() as AddressInfo).port}`,
    received,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}
