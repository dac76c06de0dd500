import type { Message } from '../../platform/engine/messages.ts'

export const slackPressService = 'slack-press'
export const replyHandler = 'reply'

/** Returns the message that sends the reply to a button press. */
export const toSlackPress = (id: string): Message => ({ service: slackPressService, key: id, handler: replyHandler })
