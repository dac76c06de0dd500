import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** How often it asks who is ready, as a load balancer does. Milliseconds. */
const lookEveryMs = 100
/** So many looks in a row without an answer, and nobody is sent there: a busy machine misses one now and then. */
const mostMissed = 3

/** Stands before several processes of the API: asks those that are ready, and nobody twice. */
export type ReadinessProxy = {
  url: string
  /** What its clients were told in place of an answer of the API. */
  failures: string[]
  /** Whether the process at this address wants to be asked and, as the proxy has seen so as well, is. */
  isReady(url: string): Promise<boolean>
  close(): void
}

/** With `cutsOff`, a client that cannot be answered is cut off instead of being told so. */
export async function openReadinessProxy(urls: string[], { cutsOff = false } = {}): Promise<ReadinessProxy> {
  const agent = new Agent({ keepAlive: true })
  const failures: string[] = []
  const stopping = new AbortController()
  const missed = new Map(urls.map((one) => [one, mostMissed]))
  const isAsked = (one: string) => (missed.get(one) ?? mostMissed) < mostMissed
  let turn = 0

  const server = createServer({ keepAliveTimeout: 60_000 }, (asked, answer) => {
    const { method, url = '/', headers } = asked
    turn += 1
    const ready = urls.filter(isAsked)
    const place = ready[turn % ready.length]
    const fail = (why: unknown) => {
      if (answer.closed) return // the client has gone
      failures.push(`${method} ${url.split('?')[0]} at ${place}: ${why}`)
      if (answer.headersSent || cutsOff) answer.destroy()
      else answer.writeHead(502).end(String(why))
    }
    if (place === undefined) return fail('nobody is ready')
    const onward = send(new URL(url, place), { method, headers, agent })
    onward.on('error', fail)
    asked.pipe(onward)
    answer.once('close', () => onward.destroy())
    onward.once('response', (got: IncomingMessage) => {
      const { connection, ...told } = got.headers // for this connection alone
      answer.writeHead(got.statusCode ?? 500, told)
      got.once('error', fail)
      got.pipe(answer)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  // Each by itself: one that starts lets whoever asks wait.
  const look = async (one: string) => {
    while (!stopping.signal.aborted) {
      missed.set(one, missedAfter(await answersReady(one), missed.get(one) ?? 0))
      await sleep(lookEveryMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }
  for (const one of urls) void look(one)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    failures,
    isReady: async (one) => (await answersReady(one)) === true && isAsked(one),
    close() {
      stopping.abort()
      agent.destroy()
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Who says that it is not ready is believed when it says so again: what it asked itself may have missed a look. */
const missedAfter = (isReady: boolean | undefined, missed: number): number => {
  if (isReady === undefined) return missed + 1
  return isReady ? 0 : missed + mostMissed - 1
}

/** Whether the process at this address wants to be asked; undefined where it says nothing. */
export const answersReady = (url: string): Promise<boolean | undefined> =>
  fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(5_000) }).then(
    ({ ok }) => ok,
    () => undefined,
  )
