import type { Clock } from '../clock.ts'
import { ask, type EngineAddress, isOk } from './address.ts'

/** How features talk to the engine: by sending messages to durable objects. */
export interface Engine {
  /**
   * Sends a message to a handler of the object `service`/`key` and returns the engine's id for it once it is durable.
   * Rejects within 2 s when the engine fails. The row that caused the message is the truth and a sweep sends again what
   * was lost, so callers log a failure and go on.
   */
  send(service: string, key: string, handler: string, payload?: unknown, options?: SendOptions): Promise<string>
  /** Whether the engine takes messages right now. Never rejects. */
  healthy(): Promise<boolean>
}

export interface SendOptions {
  /** Milliseconds of the service's clock, once the engine is `withClock`; real ones before. */
  delayMs?: number
  /** While the first message under this key is remembered, another one changes nothing and returns the same id. */
  idempotencyKey?: string
}

const sendWithinMs = 2_000
const healthyWithinMs = 1_000

/** Connects to an engine's ingress. Nothing is sent yet and nothing needs to be there yet. */
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

/** Has the engine take delays of the service's clock. */
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
