import type { Message } from '../../platform/engine/messages.ts'

export const channelService = 'notification-channel'
export const deliverHandler = 'deliver'

/** Returns the message that triggers a channel's due deliveries. */
export const toChannel = (id: string): Message => ({ service: channelService, key: id, handler: deliverHandler })
