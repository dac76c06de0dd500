import type { ObjectContext, Serde } from '@restatedev/restate-sdk'

/** A message to a handler of the engine's object `service`/`key`. */
export type Message = {
  service: string
  key: string
  handler: string
  payload?: unknown
  delayMs?: number
  /** From outside of the engine: while the first message under this key is remembered, another one changes nothing. */
  idempotencyKey?: string
}

const json: Serde<unknown> = {
  contentType: 'application/json',
  serialize: (value) => new TextEncoder().encode(JSON.stringify(value)),
  deserialize: (bytes) => JSON.parse(new TextDecoder().decode(bytes)),
}

/** Sends messages from within a handler, which then counts as done only with them. */
export function sendMessages(ctx: ObjectContext, messages: readonly Message[]): void {
  for (const { service, key, handler, payload = {}, delayMs } of messages) {
    const delay = delayMs === undefined ? {} : { delay: delayMs }
    ctx.genericSend({ service, key, method: handler, parameter: payload, inputSerde: json, ...delay })
  }
}
