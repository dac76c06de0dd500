import type { UpdateRunner } from '@sluice/contract'
import { and, asc, eq, inArray, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import { type PipelineStepExecutionRow, pipelineStepExecutions as steps } from '../pipelines/tables.ts'
import { type RunnerRow, runners } from './tables.ts'

type OfEnvironment = { executionEnvironmentId?: string }

const oneRunner = (organizationId: string, id: string) =>
  and(eq(runners.organizationId, organizationId), eq(runners.id, id))

export function listRunners(
  db: Db,
  organizationId: string,
  { executionEnvironmentId }: OfEnvironment,
  page: PageBounds,
): Promise<PageRows<RunnerRow>> {
  const where = and(
    eq(runners.organizationId, organizationId),
    executionEnvironmentId === undefined ? undefined : eq(runners.executionEnvironmentId, executionEnvironmentId),
  )
  return selectPage(db, runners, where, page)
}

export async function findRunner(db: Db, organizationId: string, id: string): Promise<RunnerRow | undefined> {
  const [row] = await db.select().from(runners).where(oneRunner(organizationId, id))
  return row
}

export async function updateRunner(
  tx: Db,
  organizationId: string,
  id: string,
  changes: UpdateRunner,
): Promise<RunnerRow | undefined> {
  const [row] = await tx
    .update(runners)
    .set({ ...changes, updatedAt: sql`now()` })
    .where(oneRunner(organizationId, id))
    .returning()
  return row
}

/** Returns false if there is none. */
export async function removeRunner(tx: Db, organizationId: string, id: string): Promise<boolean> {
  const removed = await tx.delete(runners).where(oneRunner(organizationId, id)).returning({ id: runners.id })
  return removed.length > 0
}

/** Returns the steps that these runners execute. */
export function stepsOnRunners(
  db: Db,
  organizationId: string,
  runnerIds: string[],
): Promise<PipelineStepExecutionRow[]> {
  if (runnerIds.length === 0) return Promise.resolve([])
  const isUnderWay = and(eq(steps.organizationId, organizationId), eq(steps.status, 'IN_PROGRESS'))
  return db
    .select()
    .from(steps)
    .where(and(isUnderWay, inArray(steps.runnerId, runnerIds)))
    .orderBy(asc(steps.id))
}
