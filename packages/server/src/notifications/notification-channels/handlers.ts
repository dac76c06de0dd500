import type { WorkOn } from '../../platform/db/ownership.ts'
import { createRecordObject } from '../../platform/engine/keyed-by-record.ts'
import type { AttemptParts } from '../notification-deliveries/attempt.ts'
import { deliver } from '../notification-deliveries/deliver.ts'
import { channelService, deliverHandler } from './wake.ts'

/** Durable object, keyed by channel: sends its due deliveries one after the other. */
export const notificationChannelObject = (workOn: WorkOn<AttemptParts>) =>
  createRecordObject({
    service: channelService,
    handler: deliverHandler,
    journaledAs: 'deliver',
    workOn,
    step: (parts, { id }) => deliver(parts, id),
  })
