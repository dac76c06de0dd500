import { keyedByRecord } from '../../platform/engine/keyed-by-record.ts'
import { type DeliveryParts, processDelivery } from './process.ts'
import { deliveryService } from './wake.ts'

/** Keyed by delivery id: does what the git host's delivery asks for. */
export const deliveryObject = (parts: DeliveryParts) =>
  keyedByRecord<DeliveryParts, undefined>({
    service: deliveryService,
    handler: 'process',
    journaledAs: 'process the delivery',
    workOn: (_, work) => work(parts), // it may be an organization's, or nobody's yet
    step: (given, { id }) => processDelivery(given, id),
  })
