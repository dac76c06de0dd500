import type { Message } from '../../platform/engine/messages.ts'

/** The engine's object, keyed by the id of an event: looks whether the event tells of a release from outside. */
export const cloudEventService = 'cloud-event'

/** The message that makes an event be looked at. */
export const toCloudEvent = (key: string, delayMs?: number): Message => ({
  service: cloudEventService,
  key,
  handler: 'look',
  ...(delayMs !== undefined && { delayMs }),
})
