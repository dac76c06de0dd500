import { setTimeout as sleep } from 'node:timers/promises'
import { removeControlCharacters } from '@sluice/calls/control-characters'
import { createFollowRetry } from '@sluice/calls/follow-retry'
import { retrying } from '@sluice/client'
import type { NotificationEvent } from '@sluice/contract'
import { connect, type UrlOption } from './connect.ts'
import { parseNotificationType } from './notifications/channels.ts'
import { isComplete, type OutputOption } from './output.ts'
import { printer } from './print.ts'

type Wishes = UrlOption & OutputOption & { after?: string; types?: string[]; follow?: boolean }

const pollIntervalMs = 2_000

/**
 * Prints events after a position, one per line, and follows new ones. A reader that restarts at the last printed
 * position misses nothing.
 */
export async function events({ after, types, follow = false, ...wishes }: Wishes): Promise<void> {
  const client = connect(wishes)
  const out = printer({})
  const wanted = { limit: 100, ...(types && { types: types.map(parseNotificationType) }) }
  const write = isComplete(wishes) ? (event: NotificationEvent) => JSON.stringify(event) : lineOf
  for (let position = after; ; ) {
    const query = { ...wanted, ...(position !== undefined && { after: position }) }
    const { data, meta } = await retrying(() => client.listNotificationEvents({ query }), createFollowRetry(out.say))
    for (const event of data) process.stdout.write(`${removeControlCharacters(write(event))}\n`)
    position = meta.position
    if (meta.hasMore) continue
    if (!follow) return
    await sleep(pollIntervalMs)
  }
}

/** Returns position, time, type, record and link of an event. */
const lineOf = ({ position, recordId, payload: { type, timestamp, data } }: NotificationEvent): string =>
  [position, timestamp, type, recordId, ...('url' in data ? [data.url] : [])].join('  ')
