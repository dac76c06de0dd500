import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { reportFatalError, takeFatalError } from './fatal-error.ts'

/**
 * Observer of the service's cloud calls, before and after they take effect. It can kill the service at these moments.
 */
export type Watcher = {
  /**
   * Called when the service has sent a call for an account. The call waits for the result; with false, the cloud never
   * receives it.
   */
  sent?: (operation: string, account: string) => boolean | Promise<boolean>
  /** Called when the cloud has executed the call. The service receives the response afterwards. */
  done?: (operation: string, account: string) => unknown
}

/** Opens a proxy for the cloud at `cloudUrl` for the current test. Returns its address. */
export async function openGateway(cloudUrl: string, watcher: Watcher): Promise<string> {
  const accounts = new Accounts()
  const server = createServer({ keepAliveTimeout: 60_000 }, (asked, answer) => {
    answer.on('error', noteFailure)
    relay(asked, answer).catch((error) => {
      asked.socket.destroy() // the service sees a lost connection, as without a gateway
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
    onward.on('error', () => {}) // for a second error: the first one rejects the promise below
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

/** Reports whether the service or the cloud ended the connection, which these tests cause. */
function isLostConnection(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code !== undefined && lostConnectionCodes.has(code)
}

const lostConnectionCodes: ReadonlySet<string> = new Set([
  ...['ECONNRESET', 'ECONNREFUSED', 'ECONNABORTED', 'EPIPE'],
  ...['ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END'],
])

const bodyOf = async (message: AsyncIterable<Buffer>): Promise<Buffer> => Buffer.concat(await Array.fromAsync(message))

/** Account of each call, derived from its access key: a key belongs to the account whose role was assumed for it. */
class Accounts {
  readonly #ofKeys = new Map<string, string>()

  /** Returns the account of a call; empty if it is unknown. */
  of({ headers, url }: IncomingMessage, body: Buffer): string {
    const role = /\bRoleArn=arn%3Aaws%3Aiam%3A%3A(\d+)/.exec(body.toString('latin1'))?.[1]
    const key = /Credential=([^/%]+)/.exec(headers.authorization ?? url ?? '')?.[1]
    return role ?? this.#ofKeys.get(key ?? '') ?? ''
  }

  /** Learns the access key that a response to a call for the account contains, if any. */
  learn(account: string, answer: Buffer): void {
    const key = /<AccessKeyId>([^<]+)</.exec(answer.toString('latin1'))?.[1]
    if (key !== undefined) this.#ofKeys.set(key, account)
  }
}

/**
 * Returns the operation of a request, such as `UpdateService` of `AmazonEC2ContainerServiceV20141113.UpdateService`.
 * REST services have a method and a path instead: `PUT /2015-03-31/functions/NAME/code`. The query protocol names it in
 * the body; here it is `POST /`.
 */
function operationOf({ headers, method, url }: IncomingMessage): string {
  const target = headers['x-amz-target']
  return target === undefined ? `${method} ${url?.split('?')[0]}` : String(target).replace(/.*\./, '')
}
