import type { Message } from '../../platform/engine/messages.ts'

export const slackPressService = 'slack-press'
export const replyHandler = 'reply'

/** Has whoever pressed a button in Slack answered. */
export const toSlackPress = (id: string): Message => ({ service: slackPressService, key: id, handler: replyHandler })
