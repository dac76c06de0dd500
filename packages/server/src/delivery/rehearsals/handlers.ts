import type { Db } from '../../platform/db/open.ts'
import type { WorkOn } from '../../platform/db/ownership.ts'
import { createRecordObject } from '../../platform/engine/keyed-by-record.ts'
import type { RehearsalQueue } from './queue.ts'
import { rehearsalService } from './wake.ts'

type Parts = { db: Db; queue: RehearsalQueue }

/**
 * Engine object keyed by rehearsal id. Adds the rehearsal to the queue of this process, because it can take longer than
 * an engine call.
 */
export const rehearsalObject = (workOn: WorkOn<Parts>) =>
  createRecordObject<Parts, undefined>({
    service: rehearsalService,
    handler: 'run',
    journaledAs: 'queue the rehearsal',
    workOn,
    step: async ({ queue, db }, { id }) => {
      queue.add(db, id)
      return []
    },
  })
