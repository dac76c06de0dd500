import type { Db } from '../../platform/db/open.ts'
import { keptMs } from './answer-once.ts'
import { forgetAnswersBefore } from './store.ts'

/** Forgets answers that are no longer given again. */
export const forgetAnswers = (db: Db, now: Date): Promise<void> =>
  forgetAnswersBefore(db, new Date(now.getTime() - keptMs))
