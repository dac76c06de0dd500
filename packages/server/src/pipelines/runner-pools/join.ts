import { hashOf } from '../../platform/auth/token.ts'
import { and, eq, lt, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { newId } from '../../platform/ids.ts'
import { runnerTokens } from '../runner-tokens/tables.ts'
import { deletedAfterMs, seenEveryMs } from './machine.ts'
import { type RunnerRow, runners } from './tables.ts'

/** Pool of a registration token. */
export type Pool = { organizationId: string; executionEnvironmentId: string; runnerTokenId: string }

/** Properties that a runner reports when it starts. */
export type RunnerRegistration = Pick<
  RunnerRow,
  'runnerId' | 'machine' | 'version' | 'isolation' | 'labels' | 'capacity'
>

/** Returns the pool of a registration token; undefined if it is invalid or revoked. */
export async function findPool(db: Db, token: string, now: Date): Promise<Pool | undefined> {
  const [row] = await db
    .select()
    .from(runnerTokens)
    .where(eq(runnerTokens.tokenHash, hashOf(token)))
  if (!row) return undefined
  const { id, organizationId, executionEnvironmentId, lastUsedAt } = row
  const isNews = lastUsedAt === null || now.getTime() - lastUsedAt.getTime() > seenEveryMs
  if (isNews) await db.update(runnerTokens).set({ lastUsedAt: now }).where(eq(runnerTokens.id, id))
  return { organizationId, executionEnvironmentId, runnerTokenId: id }
}

/** Records a runner, and deletes runners that have been offline for long. */
export async function recordRunner(db: Db, pool: Pool, told: RunnerRegistration, now: Date): Promise<void> {
  const present = { ...told, runnerTokenId: pool.runnerTokenId, lastSeenAt: now }
  await db
    .insert(runners)
    .values({ id: newId('rnr'), ...pool, ...present })
    .onConflictDoUpdate({
      target: [runners.executionEnvironmentId, runners.runnerId],
      set: { ...present, updatedAt: sql`now()` },
    })
  const longAgo = new Date(now.getTime() - deletedAfterMs)
  await db.delete(runners).where(and(ofPool(pool), lt(runners.lastSeenAt, longAgo)))
}

/** Records that a runner is online. */
export async function recordSeen(db: Db, pool: Pool, runnerId: string, now: Date): Promise<void> {
  const isNews = lt(runners.lastSeenAt, new Date(now.getTime() - seenEveryMs))
  await db
    .update(runners)
    .set({ lastSeenAt: now })
    .where(and(one(pool, runnerId), isNews))
}

/** Reports whether a runner is draining: it finishes its steps and leases no others. */
export async function isDraining(db: Db, pool: Pool, runnerId: string): Promise<boolean> {
  const [row] = await db.select({ isDraining: runners.isDraining }).from(runners).where(one(pool, runnerId))
  return row?.isDraining ?? false
}

const ofPool = ({ organizationId, executionEnvironmentId }: Pool) =>
  and(eq(runners.organizationId, organizationId), eq(runners.executionEnvironmentId, executionEnvironmentId))

const one = (pool: Pool, runnerId: string) => and(ofPool(pool), eq(runners.runnerId, runnerId))
