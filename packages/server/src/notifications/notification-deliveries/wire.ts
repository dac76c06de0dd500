import type { NotificationDelivery } from '@sluice/contract'
import { present } from '../../platform/present.ts'
import type { NotificationDeliveryRow } from './tables.ts'

export const deliveryToWire = (row: NotificationDeliveryRow): NotificationDelivery =>
  present({
    id: row.id,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    organizationId: row.organizationId,
    channelId: row.channelId,
    eventId: row.eventId,
    recordId: row.recordId,
    payload: row.payload,
    status: row.status,
    attempts: row.attempts,
    nextAttemptAt: row.nextAttemptAt?.toISOString(),
    isHeldBack: row.isHeldBack || undefined,
    digestId: row.digestId ?? undefined,
    resendOf: row.resendOf ?? undefined,
  })
