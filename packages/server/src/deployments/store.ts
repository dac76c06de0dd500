import type { DeploymentStatus, ModuleInstanceStatus } from '@sluice/contract'
import { and, asc, eq, inArray, isNotNull, sql } from 'drizzle-orm'
import { moduleInstances } from '../module-instances/tables.ts'
import type { Db } from '../platform/db/open.ts'
import { type PageBounds, type PageRows, selectCountedPage } from '../platform/db/page.ts'
import { prepared } from '../platform/db/prepared.ts'
import { activeStatuses } from './machine.ts'
import type { Standing } from './standing.ts'
import { type DeploymentRow, deployments } from './tables.ts'

export type NewDeployment = typeof deployments.$inferInsert

export interface DeploymentFilters {
  moduleInstanceId?: string
  environmentId?: string
  projectId?: string
  pipelineRunId?: string
  status?: DeploymentStatus[]
}

export async function insertDeployment(db: Db, row: NewDeployment): Promise<DeploymentRow> {
  const [inserted] = await db.insert(deployments).values(row).returning()
  if (!inserted) throw new Error('the insert returned no row')
  return inserted
}

const byId = prepared((db) =>
  db
    .select()
    .from(deployments)
    .where(
      and(eq(deployments.organizationId, sql.placeholder('organizationId')), eq(deployments.id, sql.placeholder('id'))),
    )
    .prepare('find_deployment'),
)

export async function findDeployment(db: Db, organizationId: string, id: string): Promise<DeploymentRow | undefined> {
  const [row] = await byId(db).execute({ organizationId, id })
  return row
}

export function listDeployments(
  db: Db,
  organizationId: string,
  { moduleInstanceId, environmentId, projectId, pipelineRunId, status }: DeploymentFilters,
  page: PageBounds,
): Promise<PageRows<DeploymentRow>> {
  const filter = and(
    moduleInstanceId === undefined ? undefined : eq(deployments.moduleInstanceId, moduleInstanceId),
    environmentId === undefined ? undefined : eq(deployments.environmentId, environmentId),
    projectId === undefined ? undefined : eq(deployments.projectId, projectId),
    pipelineRunId === undefined ? undefined : eq(deployments.pipelineRunId, pipelineRunId),
    status && inArray(deployments.status, status),
  )
  return selectCountedPage(db, deployments, organizationId, filter, page)
}

/** The row as the machines see it. */
export function standingOf(row: DeploymentRow): Standing {
  const { data } = row
  if (data.type !== 'cloud:ecs') throw new Error(`deployment ${row.id} is of the type ${data.type}`)
  return { ...row, data }
}

/**
 * Writes what a machine decided on the reading `revision`; undefined when the row has changed since, so that the
 * decision must be taken anew. Every write is a new wake-up: timers set before it no longer count.
 */
export async function saveStanding(db: Db, revision: number, standing: Standing): Promise<DeploymentRow | undefined> {
  const { id, status, startedAt, completedAt, data, error, externalDeploymentId, progress } = standing
  const { wakeAt, deadlineAt, waitingFor } = standing
  const [row] = await db
    .update(deployments)
    .set({
      status,
      startedAt,
      completedAt,
      data,
      error,
      externalDeploymentId,
      progress,
      wakeAt,
      deadlineAt,
      waitingFor,
      updatedAt: sql`now()`,
      revision: revision + 1,
      wakeSeq: sql`${deployments.wakeSeq} + 1`,
    })
    .where(and(eq(deployments.id, id), eq(deployments.revision, revision)))
    .returning()
  return row
}

const target = prepared((db) =>
  db
    .select({ status: moduleInstances.status })
    .from(moduleInstances)
    .where(eq(moduleInstances.id, sql.placeholder('id')))
    .for('update')
    .prepare('lock_target'),
)

/** Takes the row of a module instance, so that decisions about its queue are taken one after the other. */
export async function lockTarget(tx: Db, moduleInstanceId: string): Promise<ModuleInstanceStatus | undefined> {
  const [row] = await target(tx).execute({ id: moduleInstanceId })
  return row?.status
}

const unfinished = prepared((db) =>
  db
    .select()
    .from(deployments)
    .where(
      and(
        eq(deployments.moduleInstanceId, sql.placeholder('moduleInstanceId')),
        isNotNull(deployments.wakeAt), // which it is until it is over
      ),
    )
    .orderBy(asc(deployments.createdAt), asc(deployments.id))
    .prepare('unfinished_deployments'),
)

/** The queue of a module instance: those that wait for their turn, oldest first, and the one that runs, if one does. */
export type Queue = { pending: DeploymentRow[]; active: DeploymentRow | undefined }

/** To be read under the lock of the target: only then does it stay as it is. */
export async function readQueue(tx: Db, moduleInstanceId: string): Promise<Queue> {
  const rows = await unfinished(tx).execute({ moduleInstanceId })
  return { pending: rows.filter(({ status }) => status === 'PENDING'), active: rows.find(isActive) }
}

const isActive = ({ status }: DeploymentRow) => activeStatuses.some((active) => active === status)

const running = prepared((db) =>
  db
    .select({ id: deployments.id })
    .from(deployments)
    .where(
      and(
        eq(deployments.organizationId, sql.placeholder('organizationId')),
        eq(deployments.resourceArn, sql.placeholder('resourceArn')),
        inArray(deployments.status, [...activeStatuses]),
      ),
    )
    .prepare('running_deployments'),
)

/** Those that run against the resource: the ones a cloud event about it may concern. */
export async function runningOn(db: Db, organizationId: string, resourceArn: string): Promise<string[]> {
  return (await running(db).execute({ organizationId, resourceArn })).map(({ id }) => id)
}

const forWork = prepared((db) =>
  db
    .select()
    .from(deployments)
    .where(eq(deployments.id, sql.placeholder('id')))
    .prepare('deployment_for_work'),
)

/** For the engine's handlers, whose key is the deployment's id: the one read that names no organization. */
export async function loadForWork(db: Db, id: string): Promise<DeploymentRow | undefined> {
  const [row] = await forWork(db).execute({ id })
  return row
}
