import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Interval of readiness polls in milliseconds, like a load balancer's. */
const lookEveryMs = 100
/** Number of missed polls in a row after which a process gets no requests. A busy machine misses single ones. */
const mostMissed = 3

/** Load balancer in front of several API processes. It forwards each request once, to a ready process. */
export type ReadinessProxy = {
  url: string
  /** Errors that its clients received in place of a response of the API. */
  failures: string[]
  /** Reports whether a process is ready, by itself and in the view of the proxy. */
  isReady(url: string): Promise<boolean>
  close(): void
}

/**
 * Opens the proxy. With `cutsOff`, it cuts connections of clients that it cannot serve, instead of sending an error.
 */
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
      if (answer.closed) return // the client has disconnected
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
      const { connection, ...told } = got.headers // the header applies to this connection only
      answer.writeHead(got.statusCode ?? 500, told)
      got.once('error', fail)
      got.pipe(answer)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  // Concurrently, because a starting process answers late.
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

/**
 * Counts missed polls. A process that reports to be unready counts fully from its second report on, since the first may
 * be an outdated poll.
 */
const missedAfter = (isReady: boolean | undefined, missed: number): number => {
  if (isReady === undefined) return missed + 1
  return isReady ? 0 : missed + mostMissed - 1
}

/** Reports whether a process is ready; undefined without a response. */
export const answersReady = (url: string): Promise<boolean | undefined> =>
  fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(5_000) }).then(
    ({ ok }) => ok,
    () => undefined,
  )
