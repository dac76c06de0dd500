import type { Clock } from '../clock.ts'
import { ask, type EngineAddress, isOk } from './address.ts'

/** Client with which features send messages to durable objects. */
export interface Engine {
  /**
   * Sends a message to a handler of the object `service`/`key`. Returns the engine's ID once the message is durable.
   * Rejects within 2 s if the engine fails. Callers log a failure and continue: the row is the truth, and a sweep sends
   * lost messages again.
   */
  send(service: string, key: string, handler: string, payload?: unknown, options?: SendOptions): Promise<string>
  /** Reports whether the engine accepts messages now. Never rejects. */
  healthy(): Promise<boolean>
}

export interface SendOptions {
  /** Delay in milliseconds of the service's clock if the engine is `withClock`; otherwise real milliseconds. */
  delayMs?: number
  /** While the engine remembers the first message with this key, another one has no effect and returns the same ID. */
  idempotencyKey?: string
}

const sendWithinMs = 2_000
const healthyWithinMs = 1_000

/** Returns a client for an engine's ingress, which need not be available yet. */
export function connectEngine(ingress: EngineAddress): Engine {
  return {
    async send(service, key, handler, payload, options = {}) {
      const path = [service, key, handler].map(encodeURIComponent).join('/')
      const answer = await ask(ingress, `/restate/send/${path}${delayQuery(options.delayMs)}`, {
        method: 'POST',
        headers: sendHeaders(payload, options.idempotencyKey),
        ...(payload === undefined ? {} : { body: JSON.stringify(payload) }),
        withinMs: sendWithinMs,
      })
      if (!isOk(answer))
        throw new Error(`The engine answered ${answer.status} to ${path}: ${answer.text.slice(0, 500)}`)
      return (JSON.parse(answer.text) as { invocationId: string }).invocationId
    },
    healthy: () => ask(ingress, '/restate/health', { withinMs: healthyWithinMs }).then(isOk, () => false),
  }
}

/** Makes an engine interpret delays in time of the service's clock. */
export const withClock = <E extends Engine>(engine: E, clock: Pick<Clock, 'realMs'>): E => ({
  ...engine,
  send(service, key, handler, payload, { delayMs, ...options } = {}) {
    const delay = delayMs === undefined ? {} : { delayMs: clock.realMs(delayMs) }
    return engine.send(service, key, handler, payload, { ...options, ...delay })
  },
})

const delayQuery = (delayMs: number | undefined) => (delayMs ? `?delay=${Math.ceil(delayMs)}ms` : '')

const sendHeaders = (payload: unknown, idempotencyKey: string | undefined) => ({
  ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
  ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
})
