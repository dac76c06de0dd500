import type { Db } from '../../platform/db/open.ts'
import type { Limits } from '../../platform/limits/limits.ts'
import { countQueuedSteps } from '../pipeline-step-executions/store.ts'
import { countQueuedRuns } from './store.ts'

/**
 * Lets a run begin. One that is under way is not held up by what it queues itself.
 * @throws {Refusal} rateLimited
 */
export async function admitRun(limits: Limits, db: Db, organizationId: string): Promise<void> {
  await limits.admit('queuedRuns', (most) => countQueuedRuns(db, organizationId, most))
  await limits.admit('queuedSteps', (most) => countQueuedSteps(db, organizationId, most))
}
