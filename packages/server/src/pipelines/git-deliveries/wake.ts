import type { Message } from '../../platform/engine/messages.ts'

/** Name of the engine object for deliveries, keyed by delivery id. */
export const deliveryService = 'git-delivery'

/** Returns the message that processes a delivery. */
export const toDelivery = (key: string): Message => ({ service: deliveryService, key, handler: 'process' })
