import type { CreateRunnerToken } from '@sluice/contract'
import { and, eq } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import { newId } from '../../platform/ids.ts'
import { type RunnerTokenRow, runnerTokens } from './tables.ts'

const one = (organizationId: string, id: string) =>
  and(eq(runnerTokens.organizationId, organizationId), eq(runnerTokens.id, id))

export async function insertRunnerToken(
  tx: Db,
  organizationId: string,
  given: CreateRunnerToken & { tokenHash: string; tokenHint: string },
): Promise<RunnerTokenRow> {
  const [row] = await tx
    .insert(runnerTokens)
    .values({ id: newId('rtk'), organizationId, ...given })
    .returning()
  if (!row) throw new Error('the token was not inserted')
  return row
}

export function listRunnerTokens(
  db: Db,
  organizationId: string,
  { executionEnvironmentId }: { executionEnvironmentId?: string },
  page: PageBounds,
): Promise<PageRows<RunnerTokenRow>> {
  const where = and(
    eq(runnerTokens.organizationId, organizationId),
    executionEnvironmentId === undefined ? undefined : eq(runnerTokens.executionEnvironmentId, executionEnvironmentId),
  )
  return selectPage(db, runnerTokens, where, page)
}

export async function findRunnerToken(db: Db, organizationId: string, id: string): Promise<RunnerTokenRow | undefined> {
  const [row] = await db.select().from(runnerTokens).where(one(organizationId, id))
  return row
}

export async function removeRunnerToken(
  tx: Db,
  organizationId: string,
  id: string,
): Promise<RunnerTokenRow | undefined> {
  const [row] = await tx.delete(runnerTokens).where(one(organizationId, id)).returning()
  return row
}
