import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { reportFatalError, takeFatalError } from './fatal-error.ts'

/** Sees every call of the service before and after it takes effect, and may do something to the service just then. */
export type Watcher = {
  /**
   * The service has sent it, for somebody with that account number. It is on its way until this is decided; false, and
   * the cloud never hears of it.
   */
  sent?: (operation: string, account: string) => boolean | Promise<boolean>
  /** The cloud has done it, and the service does not know yet: not until this is over. */
  done?: (operation: string, account: string) => unknown
}

/** Stands between the service and the cloud at `cloudUrl`, for the present test. Returns its own address. */
export async function openGateway(cloudUrl: string, watcher: Watcher): Promise<string> {
  const accounts = new Accounts()
  const server = createServer({ keepAliveTimeout: 60_000 }, (asked, answer) => {
    answer.on('error', noteFailure)
    relay(asked, answer).catch((error) => {
      asked.socket.destroy() // the service sees a lost connection, as it would without a gateway
      noteFailure(error)
    })
  })
  server.on('clientError', (error, socket) => {
    socket.destroy()
    noteFailure(error)
  })

  function noteFailure(error: unknown): void {
    if (!isLostConnection(error)) reportFatalError(new Error(`The gateway failed: ${error}`, { cause: error }))
  }

  async function relay(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const operation = operationOf(asked)
    const request = await bodyOf(asked)
    const account = accounts.of(asked, request)
    if ((await watcher.sent?.(operation, account)) === false) return void asked.socket.destroy()
    const { method, url, headers } = asked
    const onward = send(new URL(url ?? '/', cloudUrl), { method, headers }).end(request)
    onward.on('error', () => {}) // for a second one: the first rejects what is awaited below
    const [got] = (await once(onward, 'response')) as [IncomingMessage]
    const body = await bodyOf(got)
    accounts.learn(account, body)
    await watcher.done?.(operation, account)
    if (!answer.destroyed) answer.writeHead(got.statusCode ?? 500, got.headers).end(body)
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
    const error = takeFatalError()
    if (error) throw error
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** The service or the cloud has gone away while they talked, which is what these tests do to them. */
function isLostConnection(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code !== undefined && lostConnectionCodes.has(code)
}

const lostConnectionCodes: ReadonlySet<string> = new Set([
  ...['ECONNRESET', 'ECONNREFUSED', 'ECONNABORTED', 'EPIPE'],
  ...['ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END'],
])

const bodyOf = async (message: AsyncIterable<Buffer>): Promise<Buffer> => Buffer.concat(await Array.fromAsync(message))

/** Whose calls they are: a key belongs to the account whose role was assumed for it. */
class Accounts {
  readonly #ofKeys = new Map<string, string>()

  /** The account of a call; empty where it is for none, or nobody knows. */
  of({ headers, url }: IncomingMessage, body: Buffer): string {
    const role = /\bRoleArn=arn%3Aaws%3Aiam%3A%3A(\d+)/.exec(body.toString('latin1'))?.[1]
    const key = /Credential=([^/%]+)/.exec(headers.authorization ?? url ?? '')?.[1]
    return role ?? this.#ofKeys.get(key ?? '') ?? ''
  }

  /** From an answer to a call for the account: the key that it gives out, where it does. */
  learn(account: string, answer: Buffer): void {
    const key = /<AccessKeyId>([^<]+)</.exec(answer.toString('latin1'))?.[1]
    if (key !== undefined) this.#ofKeys.set(key, account)
  }
}

/**
 * `AmazonEC2ContainerServiceV20141113.UpdateService` is `UpdateService`. A REST service has a method and a path
 * instead: `PUT /2015-03-31/functions/NAME/code`. In the oldest protocol the body names it, and it is `POST /` here.
 */
function operationOf({ headers, method, url }: IncomingMessage): string {
  const target = headers['x-amz-target']
  return target === undefined ? `${method} ${url?.split('?')[0]}` : String(target).replace(/.*\./, '')
}
