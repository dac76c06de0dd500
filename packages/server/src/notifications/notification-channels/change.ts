import type { Db } from '../../platform/db/open.ts'
import { failPending, postpone } from '../notification-deliveries/store.ts'
import { type DeliverySchedule, delayedUntil } from './quiet.ts'
import { wakeChannels } from './store.ts'
import type { NotificationChannelRow } from './tables.ts'

/** Returns further changes that enabling a channel implies. */
export function changesOnEnable(
  before: NotificationChannelRow,
  enabled: boolean | undefined,
  now: Date,
): Partial<NotificationChannelRow> {
  if (!enabled || before.enabled) return {}
  return { toldSince: now, failingSince: null, brokenSince: null, disabledReason: null }
}

/** Discards pending deliveries of a disabled channel, or reschedules them if its quiet hours or digest changed. */
export async function followChange(
  tx: Db,
  row: NotificationChannelRow,
  { changed, now }: { changed: Partial<DeliverySchedule>; now: Date },
): Promise<void> {
  if (!row.enabled) return failPending(tx, row)
  if (!changesSchedule(changed)) return
  await postpone(tx, row, delayedUntil(row, now) ?? now)
  await wakeChannels(tx, row.organizationId, [row.id], now)
}

const changesSchedule = ({ quietHours, digest, timeZone }: Partial<DeliverySchedule>): boolean =>
  quietHours !== undefined || digest !== undefined || timeZone !== undefined
