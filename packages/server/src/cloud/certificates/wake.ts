import type { Message } from '../../platform/engine/messages.ts'

/** The engine's object of this feature, keyed by the id of the certificate. */
export const certificateService = 'certificate'

/** What a wake-up carries: the number it was set under, or nothing. */
export type WakeUp = { seq?: number }

/** The message that makes a certificate be looked at. */
export const toCertificate = (key: string, payload: WakeUp = {}, delayMs?: number): Message => ({
  service: certificateService,
  key,
  handler: 'advance',
  payload,
  ...(delayMs !== undefined && { delayMs }),
})
