import { routes } from '@sluice/contract'
import { recordChange } from '../../identity/audit-events/record.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { missing } from '../../platform/http/references.ts'
import { disabledChannel } from '../notification-channels/refusals.ts'
import { lockChannel, wakeChannels } from '../notification-channels/store.ts'
import { findDelivery, insertDeliveries } from './store.ts'
import { deliveryToWire } from './wire.ts'

export function serveNotificationDeliveries(app: App, { clock }: { clock: () => Date }): void {
  handle(app, routes.getNotificationDelivery, async ({ params, caller, db }) => {
    const row = await findDelivery(db, caller.organizationId, params.id)
    return { data: deliveryToWire(row ?? notFound(params.id)) }
  })

  handle(app, routes.resendNotificationDelivery, ({ params, caller, db, request }) =>
    db.transaction(async (tx) => {
      const { organizationId } = caller
      const before = (await findDelivery(tx, organizationId, params.id)) ?? notFound(params.id)
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

function notFound(id: string): never {
  throw missing('notificationDeliveryNotFound', 'delivery', id)
}
