import type { WorkOn } from '../../platform/db/ownership.ts'
import { keyedByRecord } from '../../platform/engine/keyed-by-record.ts'
import { lookOutside, type OutsideParts } from './outside.ts'
import { cloudEventService } from './wake.ts'

/** Keyed by event id: finds out whether the event tells of a release from outside. */
export const cloudEventObject = (workOn: WorkOn<OutsideParts>) =>
  keyedByRecord<OutsideParts, undefined>({
    service: cloudEventService,
    handler: 'look',
    journaledAs: 'look for a release from outside',
    workOn,
    step: (parts, { id }) => lookOutside(parts, id),
  })
