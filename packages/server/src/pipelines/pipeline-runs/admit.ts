import type { Db } from '../../platform/db/open.ts'
import type { Limits } from '../../platform/limits/limits.ts'
import { countQueuedSteps } from '../pipeline-step-executions/store.ts'
import { countQueuedRuns } from './store.ts'

/**
 * Admits a run within the organization's limits. Steps that a started run queues do not count against it.
 * @throws {ApiError} rateLimited
 */
export async function admitRun(limits: Limits, db: Db, organizationId: string): Promise<void> {
  await limits.admit('queuedRuns', (most) => countQueuedRuns(db, organizationId, most))
  await limits.admit('queuedSteps', (most) => countQueuedSteps(db, organizationId, most))
}
