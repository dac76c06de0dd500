import { type EventEmitter, once } from 'node:events'
import { constants, createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createEndpointHandler, type EndpointOptions, type LoggerTransport } from '@restatedev/restate-sdk'
import type { Logger } from 'pino'
import { wasLogged } from '../log/error.ts'
import { type Spans, tracedBy } from '../traces/present.ts'

/** Durable services and objects of a worker. */
export type Services = EndpointOptions['services']

export interface WorkerSettings {
  services: Services
  host: string
  /** Port to listen on; 0 for any free port. */
  port: number
  /** Public keys of the engines that this worker obeys. Without any, it obeys everyone who can reach it. */
  identityKeys: string[]
  /** Time in milliseconds for running handlers to finish at a stop. */
  finishMs: number
  /** Destination of the spans of handlers, if any. */
  spans?: Spans | undefined
  log: Logger
}

export interface Worker {
  /** Address of the worker on this machine. */
  url: string
  /** Returns the end of the engine's last call; undefined before the first. */
  lastMessageAt(): Date | undefined
  /** Accepts no new work, lets running handlers finish for up to `finishMs`, then cuts them off: the engine retries. */
  stop(): Promise<void>
}

/** Serves handlers to the engine over HTTP/2. */
export async function startWorker(settings: WorkerSettings): Promise<Worker> {
  const { services, host, port, identityKeys, finishMs, spans, log } = settings
  const draining = new AbortController()
  const cutOff = new AbortController()
  const handler = createEndpointHandler({
    services,
    logger: forwardLog(log, cutOff.signal),
    ...(identityKeys.length > 0 ? { identityKeys } : {}),
  })
  let lastMessageAt: Date | undefined
  const noteMessage = () => {
    lastMessageAt = new Date()
  }
  const server = createServer((request, response) => {
    if (draining.signal.aborted) return response.stream.close(constants.NGHTTP2_REFUSED_STREAM)
    if (request.url.startsWith('/invoke/')) response.stream.once('close', noteMessage)
    tracedBy(spans, undefined, () => handler(request, response))
  })
  const calls = trackOpen<ServerHttp2Stream>(server, 'stream')
  const sockets = trackOpen<Socket>(server, 'connection')
  server.listen(port, host)
  await once(server, 'listening')
  return {
    url: urlOf(server.address() as AddressInfo),
    lastMessageAt: () => lastMessageAt,
    async stop() {
      draining.abort()
      const tooLong = sleep(finishMs, undefined, { ref: false })
      // Connections end after their calls: the engine drops those that we announce to end, with the calls on them.
      // https://github.com/restatedev/restate/pull/5311, read 2026-11-20
      await Promise.race([Promise.all(Array.from(calls, whenClosed)), tooLong])
      if (calls.size > 0) log.info({ calls: calls.size }, 'handlers are cut off; the engine will call them again')
      cutOff.abort()
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      await Promise.race([closed, tooLong])
      for (const socket of sockets) socket.destroy() // destroying a session leaves a stalled socket open
      await closed
    },
  }
}

const urlOf = ({ address, family, port }: AddressInfo) =>
  `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`

/** Returns the open sessions or streams that the server announces with `event`. */
function trackOpen<Opened extends EventEmitter>(server: Http2Server, event: 'stream' | 'connection'): Set<Opened> {
  const open = new Set<Opened>()
  server.on(event, (opened: Opened) => {
    open.add(opened)
    opened.once('close', () => open.delete(opened))
  })
  return open
}

const whenClosed = (opened: EventEmitter) => new Promise<void>((resolve) => opened.once('close', () => resolve()))

/**
 * Forwards logs of handlers. The SDK's messages about the start and end of a call, and about aborted calls, are logged
 * at level debug. Skips lines that a replay repeats.
 */
function forwardLog(log: Logger, cutOff: AbortSignal): LoggerTransport {
  return ({ level, source, replaying, context }, ...words) => {
    if (replaying) return
    const where = context && { invocation: context.invocationId, handler: context.invocationTarget }
    const err = words.find((word) => word instanceof Error)
    const isRemark = source !== 'USER' && (level === 'info' || cutOff.aborted || (err !== undefined && wasLogged(err)))
    const text = words.filter((word) => !(word instanceof Error)).map(String)
    log[isRemark ? 'debug' : level]({ ...where, ...(err && { err }) }, text.join(' ').trim())
  }
}
