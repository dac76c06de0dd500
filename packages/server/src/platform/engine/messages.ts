import type { ObjectContext, Serde } from '@restatedev/restate-sdk'
import type { Clock } from '../clock.ts'
import { placeInTrace, type SpanOptions, type Traceparent } from '../traces/present.ts'

/** Message to a handler of the durable object `service`/`key`. */
export type Message = {
  service: string
  key: string
  handler: string
  payload?: unknown
  /** Delay in milliseconds of the service's clock. */
  delayMs?: number
  /**
   * Idempotency key from outside of the engine: while it remembers the first message with it, others have no effect.
   */
  idempotencyKey?: string
}

/** Trace context of a message. */
export type Traced = { traceparent?: Traceparent }

/** Adds the current trace to a message. A delayed message starts its own trace, because others would never end. */
export function inTrace(message: Message): Message {
  const traceparent = placeInTrace()
  if (traceparent === undefined || message.delayMs) return message
  return { ...message, payload: { ...(message.payload as object | undefined), traceparent } }
}

/** Converts the delay of a message to real time. */
export const inRealTime = (message: Message, clock: Pick<Clock, 'realMs'>): Message =>
  message.delayMs === undefined ? message : { ...message, delayMs: Math.ceil(clock.realMs(message.delayMs)) }

/** Returns the span of work on a record that a message started. */
export const recordSpan = ({ service, key, payload }: Message, what: string): SpanOptions => ({
  name: `${service} ${what}`,
  kind: 'consumer',
  attributes: { 'sluice.object': service, 'sluice.id': key },
  parent: (payload as Traced | undefined)?.traceparent,
})

const json: Serde<unknown> = {
  contentType: 'application/json',
  serialize: (value) => new TextEncoder().encode(JSON.stringify(value)),
  deserialize: (bytes) => JSON.parse(new TextDecoder().decode(bytes)),
}

/** Sends messages with delays in real time from a handler, which completes together with them. */
export function sendMessages(ctx: ObjectContext, messages: readonly Message[]): void {
  for (const { service, key, handler, payload = {}, delayMs } of messages) {
    const delay = delayMs === undefined ? {} : { delay: delayMs }
    ctx.genericSend({ service, key, method: handler, parameter: payload, inputSerde: json, ...delay })
  }
}
