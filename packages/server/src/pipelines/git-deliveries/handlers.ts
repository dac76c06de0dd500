import { createRecordObject } from '../../platform/engine/keyed-by-record.ts'
import { type DeliveryParts, processDelivery } from './process.ts'
import { deliveryService } from './wake.ts'

/** Engine object keyed by delivery id. Processes the Git host's delivery. */
export const deliveryObject = (parts: DeliveryParts) =>
  createRecordObject<DeliveryParts, undefined>({
    service: deliveryService,
    handler: 'process',
    journaledAs: 'process the delivery',
    workOn: (_, work) => work(parts), // a delivery may belong to several organizations or none
    step: (given, { id }) => processDelivery(given, id),
  })
