import type { RunnerTools } from '@sluice/contract/runner-protocol'
import { desc, inArray, lt } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { runnerTools } from './tables.ts'

/** The pool of the installation's own runners. */
const shared = 'installation'

/** So long after a runner began, what it told is forgotten where it was not told again. Milliseconds. */
const forgottenAfterMs = 90 * 86_400_000

/** A runner that told what it has; of those that are started for one attempt each, the last stands for all. */
type Teller = { executionEnvironmentId: string | undefined; runnerId: string }

export async function noteTools(db: Db, teller: Teller, versions: RunnerTools, now: Date): Promise<void> {
  const { executionEnvironmentId = null, runnerId } = teller
  const told = { versions, toldAt: now }
  await db
    .insert(runnerTools)
    .values({ pool: executionEnvironmentId ?? shared, runnerId, executionEnvironmentId, ...told })
    .onConflictDoUpdate({ target: [runnerTools.pool, runnerTools.runnerId], set: told })
}

/** What the runners have that the organization's steps may run on: of one pool, where that is named. */
export async function listRunnerTools(db: Db, executionEnvironmentId?: string): Promise<RunnerTools[]> {
  const rows = await db
    .select({ versions: runnerTools.versions })
    .from(runnerTools)
    .where(executionEnvironmentId ? inArray(runnerTools.pool, [executionEnvironmentId]) : undefined)
    .orderBy(desc(runnerTools.toldAt), runnerTools.runnerId)
    .limit(mostRunners)
  return rows.map(({ versions }) => versions)
}

/** More machines than these have hardly any version that none of them has. */
const mostRunners = 200

export async function forgetRunnerTools(db: Db, now: Date): Promise<void> {
  await db.delete(runnerTools).where(lt(runnerTools.toldAt, new Date(now.getTime() - forgottenAfterMs)))
}
