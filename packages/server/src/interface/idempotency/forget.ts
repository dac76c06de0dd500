import type { Db } from '../../platform/db/open.ts'
import { retentionMs } from './answer-once.ts'
import { deleteResponsesBefore } from './store.ts'

/** Deletes expired responses. */
export const deleteExpiredResponses = (db: Db, now: Date): Promise<void> =>
  deleteResponsesBefore(db, new Date(now.getTime() - retentionMs))
