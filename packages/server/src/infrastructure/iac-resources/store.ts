import type { IacChangeType } from '@sluice/contract'
import { type PipelineRunRow, pipelineRuns, pipelineStepExecutions as steps } from '../../pipelines/pipelines/tables.ts'
import { and, asc, countDistinct, desc, eq, exists, gte, inArray, lte, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectCountedPage, selectPage } from '../../platform/db/page.ts'
import { type IacResourceRow, iacResources } from './tables.ts'

export interface IacResourceFilters {
  pipelineRunId?: string
  stackId?: string
  changeType?: IacChangeType[]
  address?: string
}

export function listIacResources(
  db: Db,
  organizationId: string,
  { pipelineRunId, stackId, changeType, address }: IacResourceFilters,
  page: PageBounds,
): Promise<PageRows<IacResourceRow>> {
  const filter = and(
    pipelineRunId === undefined ? undefined : eq(iacResources.pipelineRunId, pipelineRunId),
    stackId === undefined ? undefined : eq(iacResources.stackId, stackId),
    changeType && inArray(iacResources.changeType, changeType),
    address === undefined ? undefined : eq(iacResources.address, address),
  )
  return selectCountedPage(db, iacResources, organizationId, filter, page)
}

export async function findIacResource(db: Db, organizationId: string, id: string): Promise<IacResourceRow | undefined> {
  const [row] = await db
    .select()
    .from(iacResources)
    .where(and(eq(iacResources.organizationId, organizationId), eq(iacResources.id, id)))
  return row
}

/** Range of a pipeline's runs, inclusive. Run ids sort by creation time. */
export interface RunRange {
  pipelineId: string
  startRunId?: string
  endRunId?: string
}

/** Resource with the run that changed it. */
export type ResourceInRun = { resource: IacResourceRow; run: PipelineRunRow }

/**
 * First and last change of a resource within a range of runs, with the number of changing runs. Runs that only planned
 * do not count.
 */
export type ResourceHistory = { from: ResourceInRun; to: ResourceInRun; runsInRange: number }

export async function findResourceHistory(
  db: Db,
  organizationId: string,
  address: string,
  { pipelineId, startRunId, endRunId }: RunRange,
): Promise<ResourceHistory | undefined> {
  const inRange = and(
    eq(iacResources.organizationId, organizationId),
    eq(iacResources.pipelineId, pipelineId),
    eq(iacResources.address, address),
    inArray(iacResources.stepExecutionId, applies(db)),
    startRunId === undefined ? undefined : gte(iacResources.pipelineRunId, startRunId),
    endRunId === undefined ? undefined : lte(iacResources.pipelineRunId, endRunId),
  )
  const endOf = async (order: typeof asc): Promise<ResourceInRun | undefined> => {
    const [found] = await db
      .select({ resource: iacResources, run: pipelineRuns })
      .from(iacResources)
      .innerJoin(pipelineRuns, eq(pipelineRuns.id, iacResources.pipelineRunId))
      .where(inRange)
      // A run with several applies may have several rows for the resource; the last one is final.
      .orderBy(order(iacResources.pipelineRunId), desc(iacResources.id))
      .limit(1)
    return found
  }
  const [from, to, [counted]] = await Promise.all([
    endOf(asc),
    endOf(desc),
    db
      .select({ runs: countDistinct(iacResources.pipelineRunId) })
      .from(iacResources)
      .where(inRange),
  ])
  return from && to && { from, to, runsInRange: counted?.runs ?? 0 }
}

/** Selects the steps of a resource's run that change infrastructure. */
const applies = (db: Db) =>
  db
    .select({ id: steps.id })
    .from(steps)
    .where(
      and(eq(steps.pipelineRunId, iacResources.pipelineRunId), inArray(steps.stepType, ['iac:apply', 'iac:destroy'])),
    )

export interface IacExecutionFilters {
  pipelineRunId?: string
  pipelineId?: string
}

/** Lists runs that have resources. */
export function listIacExecutions(
  db: Db,
  organizationId: string,
  { pipelineRunId, pipelineId }: IacExecutionFilters,
  page: PageBounds,
): Promise<PageRows<PipelineRunRow>> {
  const itsResources = db
    .select({ id: iacResources.id })
    .from(iacResources)
    .where(eq(iacResources.pipelineRunId, pipelineRuns.id))
  const where = and(
    eq(pipelineRuns.organizationId, organizationId),
    pipelineRunId === undefined ? undefined : eq(pipelineRuns.id, pipelineRunId),
    pipelineId === undefined ? undefined : eq(pipelineRuns.pipelineId, pipelineId),
    exists(itsResources),
  )
  return selectPage(db, pipelineRuns, where, page)
}

/** Number of a run's resources with a change type, and how many of them failed. */
export type ChangeCount = { pipelineRunId: string; changeType: IacChangeType; count: number; failed: number }

/** Counts changes by run. A resource that was planned and applied counts once, as applied. */
export async function countChanges(db: Db, organizationId: string, runIds: string[]): Promise<ChangeCount[]> {
  if (runIds.length === 0) return []
  const latest = db
    .selectDistinctOn([iacResources.pipelineRunId, iacResources.stackId, iacResources.address], {
      pipelineRunId: iacResources.pipelineRunId,
      changeType: iacResources.changeType,
      error: iacResources.error,
    })
    .from(iacResources)
    .where(and(eq(iacResources.organizationId, organizationId), inArray(iacResources.pipelineRunId, runIds)))
    .orderBy(iacResources.pipelineRunId, iacResources.stackId, iacResources.address, desc(iacResources.id))
    .as('latest')
  return db
    .select({
      pipelineRunId: latest.pipelineRunId,
      changeType: latest.changeType,
      count: sql<number>`count(*)::int`,
      failed: sql<number>`count(${latest.error})::int`,
    })
    .from(latest)
    .groupBy(latest.pipelineRunId, latest.changeType)
}
