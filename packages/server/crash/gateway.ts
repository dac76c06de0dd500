import { once } from 'node:events'
import { createServer, type IncomingMessage, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** Sees every call of the service before and after it takes effect, and may do something to the service just then. */
export type Watcher = {
  /** The service has sent it. It is on its way until this is decided; false, and the cloud never hears of it. */
  sent?: (operation: string) => boolean | Promise<boolean>
  /** The cloud has done it, and the service does not know yet. */
  done?: (operation: string) => void
}

/** Stands between the service and the cloud at `cloudUrl`, for the present test. Returns its own address. */
export async function openGateway(cloudUrl: string, watcher: Watcher): Promise<string> {
  const server = createServer({ keepAliveTimeout: 60_000 }, async (asked, answer) => {
    const operation = operationOf(asked)
    const request = await bodyOf(asked)
    if ((await watcher.sent?.(operation)) === false) return void asked.destroy()
    const { method, url, headers } = asked
    const onward = send(new URL(url ?? '/', cloudUrl), { method, headers }).end(request)
    const [got] = (await once(onward, 'response')) as [IncomingMessage]
    const body = await bodyOf(got)
    watcher.done?.(operation)
    answer.writeHead(got.statusCode ?? 500, got.headers).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const bodyOf = async (message: AsyncIterable<Buffer>): Promise<Buffer> => Buffer.concat(await Array.fromAsync(message))

/**
 * `AmazonEC2ContainerServiceV20141113.UpdateService` is `UpdateService`. A REST service has a method and a path
 * instead: `PUT /2015-03-31/functions/NAME/code`. In the oldest protocol the body names it, and it is `POST /` here.
 */
function operationOf({ headers, method, url }: IncomingMessage): string {
  const target = headers['x-amz-target']
  return target === undefined ? `${method} ${url?.split('?')[0]}` : String(target).replace(/.*\./, '')
}
