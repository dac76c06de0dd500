import { maxReplayedEvents, type NotificationReplay, notificationTypes } from '@sluice/contract'
import type { Db } from '../../platform/db/open.ts'
import type { NotificationChannelRow } from '../notification-channels/tables.ts'
import { positionOf } from '../notification-events/position.ts'
import { listEvents } from '../notification-events/store.ts'
import { subscribesTo } from './machine.ts'
import { deliveriesOfEvents, insertDeliveries } from './store.ts'

/**
 * Sends a channel the events after a number that match its current filters, including those before its creation. Skips
 * events with a pending delivery.
 */
export async function replay(
  tx: Db,
  channel: NotificationChannelRow,
  { after, now }: { after: number; now: Date },
): Promise<NotificationReplay> {
  const { organizationId, id: channelId } = channel
  const wanted = { after, types: notificationTypes, limit: maxReplayedEvents + 1 }
  const found = await listEvents(tx, organizationId, wanted)
  const some = found.slice(0, maxReplayedEvents)
  const events = some.filter(({ eventId: id, recordId, projectId, environmentId, payload }) =>
    subscribesTo({ ...channel, toldSince: new Date(0) }, { id, recordId, projectId, environmentId, payload }),
  )
  const ids = events.map(({ eventId }) => eventId)
  const before = Map.groupBy(await deliveriesOfEvents(tx, channel, ids), ({ eventId }) => eventId)
  const again = events.flatMap(({ eventId, recordId, payload }) => {
    const sent = before.get(eventId) ?? []
    if (sent.some(({ status }) => status === 'PENDING')) return []
    const first = sent.find(({ resendOf }) => resendOf === null)
    return [{ channelId, eventId, recordId, payload, resendOf: first?.id ?? null }]
  })
  const made = await insertDeliveries(tx, organizationId, again, now)
  const position = positionOf(some.at(-1)?.number ?? after)
  return { deliveries: made.length, position, hasMore: found.length > maxReplayedEvents }
}
