import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** Maximum age of a signature, in milliseconds, to prevent replays. */
const signaturesLiveMs = 5 * 60_000

/**
 * Verifies Slack's signature of the raw body with the app's signing secret.
 * https://docs.slack.dev/authentication/verifying-requests-from-slack, read 2026-11-26
 */
export function isSignedBySlack(secret: string, headers: IncomingHttpHeaders, body: Buffer, now: Date): boolean {
  const seconds = headers['x-slack-request-timestamp']
  const signature = headers['x-slack-signature']
  if (typeof seconds !== 'string' || !/^\d{1,12}$/.test(seconds) || typeof signature !== 'string') return false
  if (Math.abs(now.getTime() - Number(seconds) * 1_000) > signaturesLiveMs) return false
  const right = Buffer.from(`v0=${createHmac('sha256', secret).update(`v0:${seconds}:`).update(body).digest('hex')}`)
  const given = Buffer.from(signature)
  return given.length === right.length && timingSafeEqual(given, right)
}
