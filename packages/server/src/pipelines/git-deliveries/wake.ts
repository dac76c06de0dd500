import type { Message } from '../../platform/engine/messages.ts'

/** The engine's object, keyed by the id of the delivery. */
export const deliveryService = 'git-delivery'

/** The message that makes a delivery be processed. */
export const toDelivery = (key: string): Message => ({ service: deliveryService, key, handler: 'process' })
