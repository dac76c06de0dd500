import type { Message } from '../../platform/engine/messages.ts'

/** Durable object for certificates, keyed by certificate id. */
export const certificateService = 'certificate'

/** Payload of a wake-up: the sequence number it was scheduled with, or none. */
export type WakeUp = { seq?: number }

/** Returns the message that makes the durable object poll a certificate. */
export const toCertificate = (key: string, payload: WakeUp = {}, delayMs?: number): Message => ({
  service: certificateService,
  key,
  handler: 'advance',
  payload,
  ...(delayMs !== undefined && { delayMs }),
})
