import { auditType, routes } from '@sluice/contract'
import { recordChange } from '../../identity/audit-events/record.ts'
import { type Caller, mayDo } from '../../platform/auth/caller.ts'
import type { Db } from '../../platform/db/open.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { missing } from '../../platform/http/references.ts'
import { disabledChannel } from '../notification-channels/api-errors.ts'
import { lockChannel, wakeChannels } from '../notification-channels/store.ts'
import { findDelivery, insertDeliveries } from './store.ts'
import type { NotificationDeliveryRow } from './tables.ts'
import { deliveryToWire } from './wire.ts'

export function serveNotificationDeliveries(app: App, { clock }: { clock: () => Date }): void {
  handle(app, routes.getNotificationDelivery, async ({ params, caller, db }) => {
    return { data: deliveryToWire(await found(db, caller, params.id)) }
  })

  handle(app, routes.resendNotificationDelivery, ({ params, caller, db, request }) =>
    db.transaction(async (tx) => {
      const { organizationId } = caller
      const before = await found(tx, caller, params.id)
      const channel = (await lockChannel(tx, organizationId, before.channelId)) ?? notFound(params.id)
      if (!channel.enabled) throw disabledChannel(channel.id)
      const { channelId, eventId, recordId, payload, id: resendOf } = before
      const now = clock()
      const again = { channelId, eventId, recordId, payload, resendOf }
      const [delivery] = await insertDeliveries(tx, organizationId, [again], now)
      if (!delivery) throw new Error('the delivery was not inserted')
      await wakeChannels(tx, organizationId, [channelId], now)
      const change = { action: 'notification-deliveries.resend', resourceType: 'notification-delivery' }
      await recordChange(tx, { caller, request }, { ...change, resourceId: delivery.id, details: { resendOf } })
      return { data: deliveryToWire(delivery) }
    }),
  )
}

/** Returns a delivery. Deliveries of audit events are visible only to callers who can read the audit log. */
async function found(db: Db, caller: Caller, id: string): Promise<NotificationDeliveryRow> {
  const row = (await findDelivery(db, caller.organizationId, id)) ?? notFound(id)
  return row.payload.type === auditType && !mayDo(caller, 'audit-events:read') ? notFound(id) : row
}

function notFound(id: string): never {
  throw missing('notificationDeliveryNotFound', 'delivery', id)
}
