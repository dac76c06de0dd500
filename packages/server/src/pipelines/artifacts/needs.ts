import { unfinishedStatuses } from '../../delivery/deployments/execution/machine.ts'
import { deployments } from '../../delivery/deployments/store/tables.ts'
import { promotions } from '../../delivery/promotions/tables.ts'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { alias, and, desc, eq, gt, gte, inArray, isNotNull, isNull, ne, or, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { withAllScopesVisible } from '../../platform/db/organization.ts'
import { pipelineRuns, pipelineStepExecutions } from '../pipelines/tables.ts'
import { type MarkedArtifact, markOf, markPattern, type RetentionReason, RetentionReasons } from './marks.ts'
import { artifacts } from './tables.ts'

export type Retention = {
  /** Number of latest releases and latest builds of each instance to retain. */
  keepLatest: number
  /** Time since when builds and reuses are retained. */
  since: Date
}

/** Returns the reasons to retain an organization's artifacts, including those that the caller cannot see. */
export const retentionReasonsOf = (db: Db, organizationId: string, retention: Retention): Promise<RetentionReasons> =>
  withAllScopesVisible(db, async (tx) => {
    const needs = new RetentionReasons()
    const releases = await neededReleases(tx, organizationId, retention)
    for (const { id, mark } of await mentionsIn(tx, organizationId, [...releases.keys()])) {
      const use = releases.get(id)
      if (use) needs.add(mark, { use, deploymentId: id })
    }
    // An image that is referenced by one of its tags is retained under the others, too.
    for (const { need, image } of await imagesOfRuns(tx, organizationId, needs)) needs.add(markOf(image), need)
    for (const { artifact, use } of await neededBuilds(tx, organizationId, retention)) {
      needs.add(markOf(artifact), { use })
    }
    return needs
  })

type ReleaseUse = Extract<RetentionReason['use'], 'RUNNING' | 'IN_PROGRESS' | 'ROLLBACK'>

/** Returns the releases whose artifacts are retained, each with its strongest reason. */
async function neededReleases(tx: Db, organizationId: string, { keepLatest }: Retention) {
  const { id, moduleInstanceId, status, completedAt } = deployments
  const last = tx
    .select({ id, nth: sql<number>`row_number() over (order by ${completedAt} desc, ${id} desc)`.as('nth') })
    .from(deployments)
    .where(and(eq(moduleInstanceId, moduleInstances.id), eq(status, 'SUCCESS')))
    .orderBy(desc(completedAt), desc(id))
    .limit(keepLatest)
    .as('last')
  const ended = await tx
    .select({ id: last.id, nth: last.nth })
    .from(moduleInstances)
    .innerJoinLateral(last, sql`true`)
    .where(and(eq(moduleInstances.organizationId, organizationId), ne(moduleInstances.status, 'DESTROYED')))
  // A failed release may have left its version running.
  const failed = tx
    .select({ id })
    .from(deployments)
    .where(
      and(
        eq(moduleInstanceId, moduleInstances.id),
        eq(status, 'ERROR'),
        gt(completedAt, sql`coalesce((${lastSuccessOf(tx)}), '-infinity')`),
      ),
    )
    .orderBy(desc(completedAt), desc(id))
    .limit(maxFailedReleases)
    .as('failed')
  const unclear = await tx
    .select({ id: failed.id })
    .from(moduleInstances)
    .innerJoinLateral(failed, sql`true`)
    .where(and(eq(moduleInstances.organizationId, organizationId), ne(moduleInstances.status, 'DESTROYED')))
  const { redeployOfDeploymentId, rollbackToDeploymentId, promotedFromDeploymentId } = deployments
  const unfinished = await tx
    .select({ id, redeployOfDeploymentId, rollbackToDeploymentId, promotedFromDeploymentId })
    .from(deployments)
    .where(and(eq(deployments.organizationId, organizationId), inArray(status, [...unfinishedStatuses])))
  const promoted = await tx
    .select({ id: promotions.sourceDeploymentId })
    .from(promotions)
    .where(and(eq(promotions.organizationId, organizationId), eq(promotions.status, 'WAITING')))
  const needed = new Map<string, ReleaseUse>()
  for (const one of ended) if (Number(one.nth) > 1) needed.set(one.id, 'ROLLBACK')
  const inProgress = [...unfinished.flatMap((one) => Object.values(one)), ...promoted.map((one) => one.id)]
  for (const one of inProgress) if (one !== null) needed.set(one, 'IN_PROGRESS')
  for (const one of ended) if (Number(one.nth) === 1) needed.set(one.id, 'RUNNING')
  for (const one of unclear) needed.set(one.id, 'RUNNING')
  return needed
}

/** Maximum number of failed runs after the last success for which artifacts are retained. */
const maxFailedReleases = 30

function lastSuccessOf(tx: Db) {
  const { moduleInstanceId, status, completedAt } = success
  return tx
    .select({ at: sql`max(${completedAt})` })
    .from(success)
    .where(and(eq(moduleInstanceId, moduleInstances.id), eq(status, 'SUCCESS')))
}
const success = alias(deployments, 'success')

/** Maximum number of releases that one statement reads. */
const releasesPerStatement = 500

/**
 * Returns the marks in releases and their inputs, and with `data` also in their results, which name the previous
 * version as well.
 */
export async function mentionsIn(
  tx: Db,
  organizationId: string,
  ids: readonly string[],
  { isReleased = false }: { isReleased?: boolean } = {},
) {
  const { id, release, data, inputs } = deployments
  const came = isReleased ? sql`''` : sql`${data}::text`
  const said = sql`concat_ws(' ', ${release}::text, ${came}, ${inputs}::text)`
  const found: { id: string; mark: string }[] = []
  for (let from = 0; from < ids.length; from += releasesPerStatement) {
    const some = inArray(id, ids.slice(from, from + releasesPerStatement))
    const rows = await tx
      .selectDistinct({ id, mark: sql<string>`(regexp_matches(${said}, ${markPattern}, 'g'))[1]` })
      .from(deployments)
      .where(and(eq(deployments.organizationId, organizationId), some))
    found.push(...rows)
  }
  return found
}

/** Returns the images that are retained because a mark names the run in their tag. */
async function imagesOfRuns(tx: Db, organizationId: string, needs: RetentionReasons) {
  const { kind, key, digest, pipelineRunId } = artifacts
  const named = needs.marks().filter((mark) => mark.startsWith('run_'))
  const found: { need: RetentionReason; image: MarkedArtifact }[] = []
  for (let from = 0; from < named.length; from += releasesPerStatement) {
    const isNamed = inArray(pipelineRunId, named.slice(from, from + releasesPerStatement))
    const images = await tx
      .select({ kind, key, digest, pipelineRunId })
      .from(artifacts)
      .where(and(eq(artifacts.organizationId, organizationId), eq(kind, 'image'), isNamed))
    for (const image of images) {
      const need = needs.of(image)
      if (need) found.push({ need, image })
    }
  }
  return found
}

/**
 * Returns the artifacts that are retained regardless of releases: the latest of each instance, recent ones, and those
 * of unfinished runs.
 */
async function neededBuilds(tx: Db, organizationId: string, { keepLatest, since }: Retention) {
  const { id, kind, key, digest, pipelineRunId, moduleInstanceId, createdAt } = artifacts
  const marked = { kind, key, digest, pipelineRunId }
  const isOwn = and(eq(artifacts.organizationId, organizationId), isNull(artifacts.removedAt))
  const nth = sql<number>`row_number() over (partition by ${moduleInstanceId} order by ${id} desc)`
  const ranked = tx
    .select({ ...marked, nth: nth.as('nth') })
    .from(artifacts)
    .where(isOwn)
    .as('ranked')
  const last = await tx
    .select({ kind: ranked.kind, key: ranked.key, digest: ranked.digest, pipelineRunId: ranked.pipelineRunId })
    .from(ranked)
    .where(sql`${ranked.nth} <= ${keepLatest}`)
  const young = await tx
    .select(marked)
    .from(artifacts)
    .where(and(isOwn, or(gte(createdAt, since), gte(artifacts.takenAt, since))))
  const ofRuns = tx
    .select({ id: sql<string>`${pipelineStepExecutions.outputData} ->> 'artifact_id'` })
    .from(pipelineStepExecutions)
    .innerJoin(pipelineRuns, eq(pipelineRuns.id, pipelineStepExecutions.pipelineRunId))
    .where(and(eq(pipelineRuns.organizationId, organizationId), isNotNull(pipelineRuns.wakeAt)))
  const unfinished = tx
    .select({ id: pipelineRuns.id })
    .from(pipelineRuns)
    .where(and(eq(pipelineRuns.organizationId, organizationId), isNotNull(pipelineRuns.wakeAt)))
  const inProgress = await tx
    .select(marked)
    .from(artifacts)
    .where(and(isOwn, or(inArray(id, ofRuns), inArray(pipelineRunId, unfinished))))
  return [
    ...last.map((artifact) => ({ artifact, use: 'LATEST' as const })),
    ...young.map((artifact) => ({ artifact, use: 'RECENT' as const })),
    ...inProgress.map((artifact) => ({ artifact, use: 'IN_PROGRESS' as const })),
  ]
}

/** Returns the deployments among these that the caller can see. */
export async function visibleDeployments(
  db: Db,
  organizationId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const rows = await db
    .select({ id: deployments.id })
    .from(deployments)
    .where(and(eq(deployments.organizationId, organizationId), inArray(deployments.id, [...ids])))
  return new Set(rows.map(({ id }) => id))
}
