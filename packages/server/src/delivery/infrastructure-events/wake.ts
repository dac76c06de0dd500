import type { Message } from '../../platform/engine/messages.ts'

/** Name of the engine object that examines events for external deployments, keyed by event id. */
export const cloudEventService = 'cloud-event'

/** Returns the message that examines an event. */
export const toCloudEvent = (key: string, delayMs?: number): Message => ({
  service: cloudEventService,
  key,
  handler: 'look',
  ...(delayMs !== undefined && { delayMs }),
})
