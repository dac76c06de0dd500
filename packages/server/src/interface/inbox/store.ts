import { maxInboxItems } from '@sluice/contract'
import { deployments } from '../../delivery/deployments/store/tables.ts'
import { holds } from '../../gates/tables.ts'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { pipelineRuns, pipelineStepExecutions, pipelines, pipelineVersions } from '../../pipelines/pipelines/tables.ts'
import { and, asc, desc, eq, gt, inArray, isNull, or, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { environments, projects } from '../../projects/projects/tables.ts'
import { inboxes } from './tables.ts'

/** Member who owns the inbox. */
export type Own = { organizationId: string; membershipId: string }

export async function findSeenUntil(db: Db, { organizationId, membershipId }: Own): Promise<Date | undefined> {
  const [row] = await db
    .select({ seenUntil: inboxes.seenUntil })
    .from(inboxes)
    .where(and(eq(inboxes.organizationId, organizationId), eq(inboxes.membershipId, membershipId)))
  return row?.seenUntil
}

/** Moves only forward: of concurrent updates, the later time counts. */
export async function saveSeenUntil(tx: Db, { organizationId, membershipId }: Own, seenUntil: Date): Promise<void> {
  await tx
    .insert(inboxes)
    .values({ organizationId, membershipId, seenUntil })
    .onConflictDoUpdate({
      target: inboxes.membershipId,
      set: { seenUntil: sql`greatest(${inboxes.seenUntil}, excluded.seen_until)` },
    })
}

const names = { instance: moduleInstances.name, environment: environments.name, project: projects.name }
const namesOfRun = { number: pipelineRuns.number, pipeline: pipelines.name, project: projects.name }

/** Returns the deployments that wait for an approval or at a pause. */
export function waitingDeployments(db: Db, organizationId: string) {
  const { status, data, progress } = deployments
  const asks = or(
    and(eq(status, 'PENDING'), sql`${data}->'approval' is not null`),
    and(eq(status, 'IN_PROGRESS'), sql`${progress}->'hooks' @> '[{"state": "waiting"}]'`),
  )
  return db
    .select({ row: deployments, ...names })
    .from(deployments)
    .innerJoin(moduleInstances, eq(moduleInstances.id, deployments.moduleInstanceId))
    .innerJoin(environments, eq(environments.id, deployments.environmentId))
    .innerJoin(projects, eq(projects.id, deployments.projectId))
    .where(and(eq(deployments.organizationId, organizationId), inArray(status, ['PENDING', 'IN_PROGRESS']), asks))
    .orderBy(asc(deployments.id))
    .limit(maxInboxItems)
}

export const waitingSteps = (db: Db, organizationId: string) =>
  db
    .select({ row: pipelineStepExecutions, ...namesOfRun })
    .from(pipelineStepExecutions)
    .innerJoin(pipelineRuns, eq(pipelineRuns.id, pipelineStepExecutions.pipelineRunId))
    .innerJoin(pipelines, eq(pipelines.id, pipelineRuns.pipelineId))
    .innerJoin(projects, eq(projects.id, pipelines.projectId))
    .where(
      and(
        eq(pipelineStepExecutions.organizationId, organizationId),
        eq(pipelineStepExecutions.status, 'PENDING_APPROVAL'),
      ),
    )
    .orderBy(asc(pipelineStepExecutions.id))
    .limit(maxInboxItems)

/** Returns pipeline versions whose approval a run waits for, each with the run that has been waiting longest. */
export const waitingVersions = (db: Db, organizationId: string) =>
  db
    .selectDistinctOn([pipelineVersions.id], {
      version: pipelineVersions,
      run: { id: pipelineRuns.id, createdAt: pipelineRuns.createdAt },
      pipeline: pipelines.name,
      projectId: pipelines.projectId,
      project: projects.name,
    })
    .from(pipelineStepExecutions)
    .innerJoin(pipelineRuns, eq(pipelineRuns.id, pipelineStepExecutions.pipelineRunId))
    .innerJoin(pipelineVersions, eq(pipelineVersions.id, pipelineRuns.pipelineVersionId))
    .innerJoin(pipelines, eq(pipelines.id, pipelineRuns.pipelineId))
    .innerJoin(projects, eq(projects.id, pipelines.projectId))
    .where(
      and(
        eq(pipelineStepExecutions.organizationId, organizationId),
        eq(pipelineStepExecutions.status, 'QUEUED'),
        eq(pipelineStepExecutions.queueReason, 'VERSION_NOT_APPROVED'),
      ),
    )
    .orderBy(asc(pipelineVersions.id), asc(pipelineRuns.id))
    .limit(maxInboxItems)

export const openHolds = (db: Db, organizationId: string) =>
  db
    .select({ row: holds, ...names })
    .from(holds)
    .leftJoin(moduleInstances, eq(moduleInstances.id, holds.moduleInstanceId))
    .innerJoin(environments, eq(environments.id, holds.environmentId))
    .innerJoin(projects, eq(projects.id, holds.projectId))
    .where(and(eq(holds.organizationId, organizationId), isNull(holds.liftedAt)))
    .orderBy(asc(holds.id))
    .limit(maxInboxItems)

export function failedDeployments(db: Db, organizationId: string, since: Date) {
  const { id, status, completedAt, error } = deployments
  return db
    .select({ id, completedAt, error, ...names })
    .from(deployments)
    .innerJoin(moduleInstances, eq(moduleInstances.id, deployments.moduleInstanceId))
    .innerJoin(environments, eq(environments.id, deployments.environmentId))
    .innerJoin(projects, eq(projects.id, deployments.projectId))
    .where(
      and(
        eq(deployments.organizationId, organizationId),
        gt(completedAt, since),
        inArray(status, ['ERROR', 'ROLLED_BACK']),
      ),
    )
    .orderBy(desc(completedAt))
    .limit(maxInboxItems)
}

export function failedRuns(db: Db, organizationId: string, since: Date) {
  const { id, status, completedAt, error } = pipelineRuns
  return db
    .select({ id, completedAt, error, ...namesOfRun })
    .from(pipelineRuns)
    .innerJoin(pipelines, eq(pipelines.id, pipelineRuns.pipelineId))
    .innerJoin(projects, eq(projects.id, pipelines.projectId))
    .where(and(eq(pipelineRuns.organizationId, organizationId), gt(completedAt, since), eq(status, 'ERROR')))
    .orderBy(desc(completedAt))
    .limit(maxInboxItems)
}
