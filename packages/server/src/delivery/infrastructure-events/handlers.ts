import type { WorkOn } from '../../platform/db/ownership.ts'
import { createRecordObject } from '../../platform/engine/keyed-by-record.ts'
import { type ExaminationParts, examineEvent } from './external.ts'
import { cloudEventService } from './wake.ts'

/** Engine object keyed by event id. Determines whether the event belongs to an external deployment. */
export const cloudEventObject = (workOn: WorkOn<ExaminationParts>) =>
  createRecordObject<ExaminationParts, undefined>({
    service: cloudEventService,
    handler: 'look',
    journaledAs: 'look for a release from outside',
    workOn,
    step: (parts, { id }) => examineEvent(parts, id),
  })
