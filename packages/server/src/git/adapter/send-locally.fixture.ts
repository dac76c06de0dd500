import { createOutbound } from '@sluice/outbound/send'
import { sendGuarded } from './ask.ts'

/** Sends requests to fake Git hosts on this machine. */
export const sendLocally = sendGuarded(createOutbound(['127.0.0.1'], { maxBytes: 8 * 1024 * 1024, maxRedirects: 3 }))
