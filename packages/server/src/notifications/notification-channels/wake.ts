import type { Message } from '../../platform/engine/messages.ts'

export const channelService = 'notification-channel'
export const deliverHandler = 'deliver'

/** Has what is due sent to a channel. */
export const toChannel = (id: string): Message => ({ service: channelService, key: id, handler: deliverHandler })
