import type { ObjectContext, Serde } from '@restatedev/restate-sdk'
import type { Clock } from '../clock.ts'
import { placeInTrace, type SpanWish, type Traceparent } from '../traces/present.ts'

/** A message to a handler of the engine's object `service`/`key`. */
export type Message = {
  service: string
  key: string
  handler: string
  payload?: unknown
  /** Milliseconds of the service's clock. */
  delayMs?: number
  /** From outside of the engine: while the first message under this key is remembered, another one changes nothing. */
  idempotencyKey?: string
}

/** What a message says of the trace that it goes on with, beside what it is about. */
export type Traced = { traceparent?: Traceparent }

/** The message as part of the present trace. One for later begins a trace of its own: others would never end. */
export function inTrace(message: Message): Message {
  const traceparent = placeInTrace()
  if (traceparent === undefined || message.delayMs) return message
  return { ...message, payload: { ...(message.payload as object | undefined), traceparent } }
}

/** The message as the engine takes it, whose delays are of real time. */
export const inRealTime = (message: Message, clock: Pick<Clock, 'realMs'>): Message =>
  message.delayMs === undefined ? message : { ...message, delayMs: Math.ceil(clock.realMs(message.delayMs)) }

/** The span of what is done about a record because of a message. */
export const recordSpan = ({ service, key, payload }: Message, what: string): SpanWish => ({
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

/** Sends messages, with delays of real time, from within a handler, which then counts as done only with them. */
export function sendMessages(ctx: ObjectContext, messages: readonly Message[]): void {
  for (const { service, key, handler, payload = {}, delayMs } of messages) {
    const delay = delayMs === undefined ? {} : { delay: delayMs }
    ctx.genericSend({ service, key, method: handler, parameter: payload, inputSerde: json, ...delay })
  }
}
