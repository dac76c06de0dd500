import type { RunnerTools } from '@sluice/contract/runner-protocol'
import { desc, inArray, lt } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { runnerTools } from './tables.ts'

/** Pool of the installation's own runners. */
const shared = 'installation'

/** Time after which a runner's tool report expires, in milliseconds. */
const forgottenAfterMs = 90 * 86_400_000

/** Runner that reported its tools. Single-use runners of an environment share one entry. */
type ReportingRunner = { executionEnvironmentId: string | undefined; runnerId: string }

export async function saveTools(db: Db, teller: ReportingRunner, versions: RunnerTools, now: Date): Promise<void> {
  const { executionEnvironmentId = null, runnerId } = teller
  const told = { versions, toldAt: now }
  await db
    .insert(runnerTools)
    .values({ pool: executionEnvironmentId ?? shared, runnerId, executionEnvironmentId, ...told })
    .onConflictDoUpdate({ target: [runnerTools.pool, runnerTools.runnerId], set: told })
}

/** Lists the tool versions of the runners that the organization's steps can use, optionally of one pool. */
export async function listRunnerTools(db: Db, executionEnvironmentId?: string): Promise<RunnerTools[]> {
  const rows = await db
    .select({ versions: runnerTools.versions })
    .from(runnerTools)
    .where(executionEnvironmentId ? inArray(runnerTools.pool, [executionEnvironmentId]) : undefined)
    .orderBy(desc(runnerTools.toldAt), runnerTools.runnerId)
    .limit(maxRunners)
  return rows.map(({ versions }) => versions)
}

/** Maximum number of runners to read, because more rarely add another version. */
const maxRunners = 200

export async function deleteOldRunnerTools(db: Db, now: Date): Promise<void> {
  await db.delete(runnerTools).where(lt(runnerTools.toldAt, new Date(now.getTime() - forgottenAfterMs)))
}
