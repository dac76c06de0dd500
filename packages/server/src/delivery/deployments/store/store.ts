import type { DeploymentStatus, HoldRule, ModuleInstanceStatus, RemovedPrefix, RemovedVersion } from '@sluice/contract'
import type { CloudAccount } from '../../../cloud/adapter/access.ts'
import { connectionOf } from '../../../cloud/cloud-accounts/connection.ts'
import { type CloudAccountRow, cloudAccounts } from '../../../cloud/cloud-accounts/tables.ts'
import { asking } from '../../../gates/approvals.ts'
import { afterRollbackIn } from '../../../gates/hold-after-rollback.ts'
import { hasGates } from '../../../gates/load.ts'
import type { Scope } from '../../../gates/scope.ts'
import type { Author } from '../../../identity/audit-events/author.ts'
import { type Change, changeSlots, changeValues } from '../../../identity/audit-events/record.ts'
import { auditEvents } from '../../../identity/audit-events/tables.ts'
import { moduleInstances } from '../../../modules/module-instances/tables.ts'
import {
  type AnyPgColumn,
  and,
  asc,
  count,
  desc,
  eq,
  getTableColumns,
  gte,
  inArray,
  isNotNull,
  lt,
  ne,
  notInArray,
  or,
  type SQL,
  sql,
} from '../../../platform/db/drizzle.ts'
import type { Db } from '../../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectCountedPage } from '../../../platform/db/page.ts'
import { columnSlots, columnValues, prepared } from '../../../platform/db/prepared.ts'
import { emitStatusChange } from '../../../platform/db/status-changes.ts'
import { isTaken } from '../../../platform/db/violations.ts'
import { insertReleasable } from '../create/releasable.ts'
import { activeStatuses, unfinishedStatuses } from '../execution/machine.ts'
import type { DeploymentState } from '../execution/state.ts'
import type { FunctionRelease } from '../types/lambda/release.ts'
import type { SiteRelease } from '../types/static/retention.ts'
import { type DeploymentRow, deployments } from './tables.ts'

export type NewDeployment = typeof deployments.$inferInsert

export interface DeploymentFilters {
  moduleInstanceId?: string
  environmentId?: string
  projectId?: string
  pipelineRunId?: string
  status?: DeploymentStatus[]
}

/** Names of all columns. */
export const allNames = Object.keys(getTableColumns(deployments)) as (keyof DeploymentRow)[]

/** Fills in missing columns: null, which the database rejects for required columns, and 0 for counters. */
export const wholeRow = (row: NewDeployment): DeploymentRow =>
  ({
    ...Object.fromEntries(allNames.map((name) => [name, row[name] ?? null])),
    revision: 0,
    wakeSeq: 0,
  }) as DeploymentRow

const insert = prepared((db) =>
  db.insert(deployments).values(columnSlots(allNames)).returning().prepare('insert_deployment'),
)

export async function insertDeployment(
  db: Db,
  row: NewDeployment & { createdAt: Date; updatedAt: Date },
): Promise<DeploymentRow> {
  const [inserted] = await insertReleasable(insert(db).execute(columnValues(deployments, allNames, wholeRow(row))))
  if (!inserted) throw new Error('the insert returned no row')
  emitStatusChange(db, 'deployment', undefined, inserted)
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

/** Columns that the API returns by default. */
const { release: _, progress: __, inputs: ___, instanceInput: ____, ...shownColumns } = getTableColumns(deployments)

/** Deployment without its release and progress, which are half of a row and take time to read. */
export type DeploymentOverview = Pick<DeploymentRow, keyof typeof shownColumns>

const shownById = prepared((db) =>
  db
    .select(shownColumns)
    .from(deployments)
    .where(
      and(eq(deployments.organizationId, sql.placeholder('organizationId')), eq(deployments.id, sql.placeholder('id'))),
    )
    .prepare('find_shown_deployment'),
)

/** Loads a deployment with the columns that the API returns by default. */
export async function findDeploymentOverview(
  db: Db,
  organizationId: string,
  id: string,
): Promise<DeploymentOverview | undefined> {
  const [row] = await shownById(db).execute({ organizationId, id })
  return row
}

const toDecide = prepared((db) =>
  db
    .select({ row: deployments, isRuled: hasGates(deployments.organizationId, 'CONTINUE') })
    .from(deployments)
    .where(
      and(eq(deployments.organizationId, sql.placeholder('organizationId')), eq(deployments.id, sql.placeholder('id'))),
    )
    .prepare('find_deployment_to_decide'),
)

/** Loads a deployment for a decision, and whether its organization has release gates. */
export async function findForDecision(
  db: Db,
  organizationId: string,
  id: string,
): Promise<{ row: DeploymentRow; isRuled: boolean } | undefined> {
  const [found] = await toDecide(db).execute({ organizationId, id })
  return found
}

/** Scope of one instance or of a whole environment. */
type Part = Pick<DeploymentRow, 'environmentId'> & { moduleInstanceId: string | null }

/**
 * Makes all queued deployments of an organization, or of a part of it, due now, because what they wait for may have
 * changed. Increments the revision, so that a concurrent writer with an older row cannot postpone them. Returns their
 * ids.
 */
export async function wakeQueued(tx: Db, organizationId: string, now: Date, part?: Part): Promise<string[]> {
  const { id, moduleInstanceId, environmentId } = deployments
  const isPart = part?.moduleInstanceId
    ? eq(moduleInstanceId, part.moduleInstanceId)
    : part && eq(environmentId, part.environmentId)
  const waiting = tx
    .select({ id })
    .from(deployments)
    .where(and(eq(deployments.organizationId, organizationId), eq(deployments.status, 'PENDING'), isPart))
    // Same order as in the transactions that start them, to avoid deadlocks.
    .orderBy(asc(deployments.createdAt), asc(id))
    .for('update')
  const woken = await tx
    .update(deployments)
    .set({ wakeAt: now, revision: sql`${deployments.revision} + 1` })
    .where(inArray(id, waiting))
    .returning({ id })
  return woken.map(({ id }) => id)
}

/** Loads a deployment and locks its row until the end of the transaction. */
export async function lockDeployment(tx: Db, organizationId: string, id: string): Promise<DeploymentRow | undefined> {
  const isIt = and(eq(deployments.organizationId, organizationId), eq(deployments.id, id))
  const [row] = await tx.select().from(deployments).where(isIt).for('update')
  return row
}

/** Makes one queued deployment due now: see `wakeQueued`. */
export async function wakeOne(tx: Db, { organizationId, id }: DeploymentRow, now: Date): Promise<DeploymentRow> {
  const [row] = await tx
    .update(deployments)
    .set({ wakeAt: now, updatedAt: sql`now()`, revision: sql`${deployments.revision} + 1` })
    .where(and(eq(deployments.organizationId, organizationId), eq(deployments.id, id)))
    .returning()
  if (!row) throw new Error(`the deployment ${id} was locked and is gone`)
  return row
}

/** Origin of a release: a pipeline run, or an earlier release. */
export type Origin = Pick<DeploymentRow, 'id' | 'pipelineRunId' | 'redeployOfDeploymentId' | 'rollbackToDeploymentId'>

export async function findOrigins(db: Db, organizationId: string, ids: readonly string[]): Promise<Origin[]> {
  if (ids.length === 0) return []
  const { id, pipelineRunId, redeployOfDeploymentId, rollbackToDeploymentId } = deployments
  return db
    .select({ id, pipelineRunId, redeployOfDeploymentId, rollbackToDeploymentId })
    .from(deployments)
    .where(and(eq(deployments.organizationId, organizationId), inArray(id, [...ids])))
}

/** Subquery for queued deployments of the organization `organizationId`, limited to `mostQueued` rows. */
export function queuedUpToLimit(db: Db) {
  const { organizationId, id, status } = deployments
  const isQueued = and(eq(organizationId, sql.placeholder('organizationId')), eq(status, 'PENDING'))
  return db.select({ id }).from(deployments).where(isQueued).limit(sql.placeholder('mostQueued')).as('queued')
}

const queued = prepared((db) =>
  db.select({ count: count() }).from(queuedUpToLimit(db)).prepare('count_queued_deployments'),
)

/** Counts the queued deployments of an organization, up to `most`. */
export async function countQueuedDeployments(db: Db, organizationId: string, most: number): Promise<number> {
  const [found] = await queued(db).execute({ organizationId, mostQueued: most })
  return found?.count ?? 0
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

/** Returns the latest requested deployments in a scope, newest first, without external ones. */
export function latestDeployments(
  db: Db,
  organizationId: string,
  { place, rollbacks, count }: { place: Scope; rollbacks: boolean; count: number },
): Promise<DeploymentRow[]> {
  const { projectId, environmentId, moduleInstanceId } = place
  const where = and(
    eq(deployments.organizationId, organizationId),
    projectId ? eq(deployments.projectId, projectId) : undefined,
    environmentId ? eq(deployments.environmentId, environmentId) : undefined,
    moduleInstanceId ? eq(deployments.moduleInstanceId, moduleInstanceId) : undefined,
    notInArray(deployments.triggerSource, ['EXTERNAL', ...(rollbacks ? [] : (['ROLLBACK'] as const))]),
  )
  return db.select().from(deployments).where(where).orderBy(desc(deployments.id)).limit(count)
}

/** Columns that a state machine changes. */
const stateColumns = [
  'status',
  'startedAt',
  'completedAt',
  'data',
  'error',
  'externalDeploymentId',
  'resourceArn',
  'progress',
  'wakeAt',
  'deadlineAt',
  'waitingFor',
] as const

/** Every write schedules a new wake-up, which makes earlier timers outdated. */
const stateSlots = {
  ...columnSlots(stateColumns),
  updatedAt: sql`now()`,
  revision: sql`${deployments.revision} + 1`,
  wakeSeq: sql`${deployments.wakeSeq} + 1`,
}

const isAsRead = and(
  eq(deployments.id, sql.placeholder('id')),
  eq(deployments.revision, sql.placeholder('revision')),
) as SQL

const stateValues = ({ revision }: Pick<DeploymentRow, 'revision'>, deployment: DeploymentState) => ({
  id: deployment.id,
  revision,
  ...columnValues(deployments, stateColumns, deployment),
})

const save = prepared((db) =>
  db.update(deployments).set(stateSlots).where(isAsRead).returning().prepare('save_standing'),
)

/**
 * Stores a new state that was computed from the row `before`. Returns undefined if the row has changed since, so that
 * the caller must compute it again.
 */
export async function saveState(
  db: Db,
  before: Pick<DeploymentRow, 'revision' | 'status'>,
  deployment: DeploymentState,
): Promise<DeploymentRow | undefined> {
  const [row] = await save(db).execute(stateValues(before, deployment))
  if (row) emitStatusChange(db, 'deployment', before, row)
  return row
}

const saveWithChange = prepared((db) => {
  const saved = db.$with('saved').as(db.update(deployments).set(stateSlots).where(isAsRead).returning())
  const line = sql.join(Object.values(changeSlots()), sql`, `)
  const noted = db
    .$with('noted')
    .as(db.insert(auditEvents).select(sql`select ${line} from saved`).returning({ id: auditEvents.id }))
  return db.with(saved, noted).select().from(saved).prepare('save_standing_with_change')
})

/** Stores a new state with its audit log entry in one statement: see `saveState`. */
export async function saveDecision(
  db: Db,
  before: Pick<DeploymentRow, 'revision' | 'status'>,
  deployment: DeploymentState,
  { author, change }: { author: Author; change: Change },
): Promise<DeploymentRow | undefined> {
  const values = { ...stateValues(before, deployment), ...changeValues(author, change) }
  const [row] = await saveWithChange(db).execute(values)
  if (row) emitStatusChange(db, 'deployment', before, row)
  return row
}

/**
 * Returns the release that ran before a deployment: the last success of its instance and type that ended before it did.
 * The order is that of the ends: one deployment of an instance runs at a time, but a rollback passes those that wait.
 */
export async function findReleaseBefore(db: Db, from: DeploymentRow): Promise<DeploymentRow | undefined> {
  const [row] = await db
    .select()
    .from(deployments)
    .where(
      and(
        eq(deployments.organizationId, from.organizationId),
        eq(deployments.moduleInstanceId, from.moduleInstanceId),
        eq(deployments.deploymentType, from.deploymentType),
        eq(deployments.status, 'SUCCESS'),
        ne(deployments.id, from.id),
        from.completedAt ? endedBefore(from.id, from.completedAt) : undefined,
      ),
    )
    .orderBy(desc(deployments.completedAt), desc(deployments.id))
    .limit(1)
  return row
}

/**
 * Returns the condition for deployments that ended before this one. If two ended in the same millisecond, the one that
 * was requested first counts as earlier.
 */
const endedBefore = (id: string, completedAt: Date): SQL | undefined =>
  or(lt(deployments.completedAt, completedAt), and(eq(deployments.completedAt, completedAt), lt(deployments.id, id)))

/** Returns the SQL condition that the organization has gates that are evaluated when a release is requested. */
export const hasEntryRules = (organizationId: AnyPgColumn): SQL<boolean> => hasGates(organizationId, 'REQUEST')

const target = prepared((db) =>
  db
    .select({ status: moduleInstances.status, isRuled: hasEntryRules(moduleInstances.organizationId) })
    .from(moduleInstances)
    .where(eq(moduleInstances.id, sql.placeholder('id')))
    .for('update')
    .prepare('lock_target'),
)

/** Module instance, and whether its organization has gates that must be evaluated. */
export type LockedInstance = { status: ModuleInstanceStatus; isRuled: boolean }

/** Locks the row of a module instance, which serializes decisions about its queue. */
export async function lockTarget(tx: Db, moduleInstanceId: string): Promise<LockedInstance | undefined> {
  const [row] = await target(tx).execute({ id: moduleInstanceId })
  return row
}

/** SQL condition that the organization of a deployment has gates that are evaluated when it starts. */
const hasStartRules: SQL<boolean> = hasGates(deployments.organizationId, 'START')

const saveAlone = prepared((db) => {
  const instance = eq(moduleInstances.id, sql.placeholder('moduleInstanceId'))
  const held = db
    .$with('held')
    .as(db.select({ id: moduleInstances.id }).from(moduleInstances).where(instance).for('update'))
  // An alias, because the statement also writes this table.
  const isAlone = sql`not exists (select from ${deployments} other
    where other.module_instance_id = ${sql.placeholder('moduleInstanceId')} and other.wake_at is not null
      and other.id <> ${sql.placeholder('id')})`
  // The previous deployment may have ended concurrently: a deployment never starts before its predecessor's end.
  const hasEndedSince = sql`exists (select from ${deployments} other
    where other.organization_id = ${deployments.organizationId} and other.completed_at > ${sql.placeholder('startedAt')}
      and other.module_instance_id = ${sql.placeholder('moduleInstanceId')})`
  return db
    .with(held)
    .update(deployments)
    .set(stateSlots)
    .where(and(isAsRead, isAlone, sql`not ${hasEndedSince}`, sql`not ${hasStartRules}`, sql`exists (select from held)`))
    .returning()
    .prepare('save_alone')
})

/**
 * Starts a deployment that is the only unfinished one of its instance, in an organization without gates. Does so in one
 * statement, which also locks the target. Returns undefined and writes nothing otherwise; then the queue must be read.
 */
export async function saveStartedAlone(
  db: Db,
  before: Pick<DeploymentRow, 'revision' | 'status' | 'moduleInstanceId'>,
  deployment: DeploymentState,
): Promise<DeploymentRow | undefined> {
  const { moduleInstanceId } = before
  try {
    const [row] = await saveAlone(db).execute({ moduleInstanceId, ...stateValues(before, deployment) })
    if (row) emitStatusChange(db, 'deployment', before, row)
    return row
  } catch (error) {
    // Another deployment started while this statement waited for the lock, which it cannot see.
    if (isTaken(error, 'deployments_one_active')) return undefined
    throw error
  }
}

const unfinished = prepared((db) =>
  db
    .select({ row: deployments, isRuled: hasStartRules })
    .from(deployments)
    .where(
      and(
        eq(deployments.moduleInstanceId, sql.placeholder('moduleInstanceId')),
        isNotNull(deployments.wakeAt), // set until the deployment ends
      ),
    )
    .orderBy(asc(deployments.createdAt), asc(deployments.id))
    .prepare('unfinished_deployments'),
)

/** Queue of a module instance: its queued deployments, next one first, and the active one. */
export type Queue = { pending: DeploymentRow[]; active: DeploymentRow | undefined }

/**
 * Queue, and whether freezes, holds, approval rules or policies of the organization may block it (`isRuled`). Both come
 * from one query, so that the end of a rollback and the hold that it creates are seen together.
 */
export type GatedQueue = Queue & { isRuled: boolean }

/** Reads the queue. It is stable only while the caller holds the lock of the target. */
export async function readQueue(tx: Db, moduleInstanceId: string): Promise<GatedQueue> {
  const found = await unfinished(tx).execute({ moduleInstanceId })
  const rows = found.map(({ row }) => row)
  const waiting = rows.filter(({ status }) => status === 'PENDING')
  const pending = [...waiting.filter(isRollback), ...waiting.filter((row) => !isRollback(row))]
  const isRuled =
    found.some(({ isRuled }) => isRuled) || waiting.some(({ data }) => asking(data.policies ?? []).length > 0)
  return { pending, active: rows.find(isActive), isRuled }
}

const anyUnfinished = prepared((db) =>
  db
    .select({ id: deployments.id })
    .from(deployments)
    .where(and(eq(deployments.moduleInstanceId, sql.placeholder('moduleInstanceId')), isNotNull(deployments.wakeAt)))
    .limit(1)
    .prepare('any_unfinished_deployment'),
)

/** Reports whether the instance has an unfinished deployment. */
export async function hasUnfinished(db: Db, moduleInstanceId: string): Promise<boolean> {
  return (await anyUnfinished(db).execute({ moduleInstanceId })).length > 0
}

/**
 * Reports whether a deployment is a rollback, which goes before queued deployments because they may contain the same
 * defect.
 */
export const isRollback = ({ triggerSource }: Pick<DeploymentRow, 'triggerSource'>): boolean =>
  triggerSource === 'ROLLBACK'

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

/** Returns the ids of active deployments to a resource, which an event of the cloud about the resource may concern. */
export async function activeDeploymentsTo(db: Db, organizationId: string, resourceArn: string): Promise<string[]> {
  return (await running(db).execute({ organizationId, resourceArn })).map(({ id }) => id)
}

/**
 * Returns the releases from a bucket that became or may become live, in the order in which their deployments ended.
 * Unfinished ones come last.
 */
export async function listSiteReleases(db: Db, organizationId: string, bucket: string): Promise<SiteRelease[]> {
  const rows = await db
    .select({
      moduleInstanceId: deployments.moduleInstanceId,
      status: deployments.status,
      prefix: sql<string>`${deployments.release}->>'prefix'`,
      removedPrefixes: sql<RemovedPrefix[] | null>`${deployments.data}->'removedPrefixes'`,
    })
    .from(deployments)
    .where(
      and(
        eq(deployments.organizationId, organizationId),
        sql`deployment_type = 'cloud:static'`, // literal, because the planner does not match the index with a parameter
        sql`${deployments.release}->>'bucket' = ${bucket}`,
        inArray(deployments.status, ['SUCCESS', ...unfinishedStatuses]),
      ),
    )
    .orderBy(asc(deployments.completedAt), asc(deployments.id)) // null (unfinished) sorts last
  return rows.map((row) => ({ ...row, removedPrefixes: row.removedPrefixes ?? [] }))
}

/**
 * Returns the versions of a function that became or may become live, in the order in which their deployments ended.
 * Unfinished ones come last, with the versions that they can roll back to.
 */
export async function listFunctionReleases(
  db: Db,
  organizationId: string,
  functionArn: string,
): Promise<FunctionRelease[]> {
  const rows = await db
    .select({
      moduleInstanceId: deployments.moduleInstanceId,
      status: deployments.status,
      versions: sql<
        (string | null)[]
      >`jsonb_build_array(${deployments.data}->'version', ${deployments.release}->'version'->'version', ${deployments.data}->'previousVersion')`,
      removedVersions: sql<RemovedVersion[] | null>`${deployments.data}->'removedVersions'`,
    })
    .from(deployments)
    .where(
      and(
        eq(deployments.organizationId, organizationId),
        eq(deployments.resourceArn, functionArn),
        eq(deployments.deploymentType, 'cloud:lambda'),
        inArray(deployments.status, ['SUCCESS', ...unfinishedStatuses]),
      ),
    )
    .orderBy(asc(deployments.completedAt), asc(deployments.id)) // null (unfinished) sorts last
  return rows.flatMap(({ versions, removedVersions, ...row }) => {
    const removedPrefixes = (removedVersions ?? []).map(({ version, removedAt }) => ({
      prefix: version,
      objectCount: 1,
      startedAt: removedAt,
      completedAt: removedAt,
    }))
    const named = row.status === 'SUCCESS' ? versions.slice(0, 1) : versions
    return named.flatMap((prefix) => (prefix === null ? [] : [{ ...row, prefix, removedPrefixes }]))
  })
}

/** Returns the ids of the unfinished deployments of a pipeline run. */
export async function unfinishedOfRun(db: Db, organizationId: string, pipelineRunId: string): Promise<string[]> {
  const rows = await db
    .select({ id: deployments.id })
    .from(deployments)
    .where(
      and(
        eq(deployments.organizationId, organizationId),
        eq(deployments.pipelineRunId, pipelineRunId),
        isNotNull(deployments.wakeAt),
      ),
    )
  return rows.map(({ id }) => id)
}

/** Group of instances whose ARN is unknown. */
export type NamedGroup = { cloudAccountId: string; region: string; groupName: string }

/** Returns the deployments to a group that are active or ended after `since`, newest first. */
export function releasesToGroup(
  db: Db,
  organizationId: string,
  { cloudAccountId, region, groupName }: NamedGroup,
  since: Date,
): Promise<Pick<DeploymentRow, 'id' | 'resourceArn'>[]> {
  return db
    .select({ id: deployments.id, resourceArn: deployments.resourceArn })
    .from(deployments)
    .where(
      and(
        eq(deployments.organizationId, organizationId),
        or(inArray(deployments.status, [...activeStatuses]), gte(deployments.completedAt, since)),
        eq(deployments.deploymentType, 'cloud:ec2'),
        eq(deployments.resourceName, groupName),
        eq(sql`${deployments.release} ->> 'region'`, region),
        eq(sql`${deployments.release} ->> 'cloudAccountId'`, cloudAccountId),
      ),
    )
    .orderBy(desc(deployments.id))
}

/** Selects deployments with what work on them requires, by a condition of the caller; `loadedOf` converts the rows. */
export const selectForWork = (db: Db) =>
  db
    .select({
      row: deployments,
      account: cloudAccounts,
      isRuled: hasGates(deployments.organizationId, 'CONTINUE_AUTOMATICALLY'),
      afterRollback: afterRollbackIn(deployments.environmentId),
    })
    .from(deployments)
    .leftJoin(
      cloudAccounts,
      and(
        eq(cloudAccounts.organizationId, deployments.organizationId),
        eq(cloudAccounts.id, sql`${deployments.release} ->> 'cloudAccountId'`),
      ),
    )

const forWork = prepared((db) =>
  selectForWork(db)
    .where(eq(deployments.id, sql.placeholder('id')))
    .prepare('deployment_for_work'),
)

/**
 * Deployment with the access to its cloud account, which is absent while the account is not connected. `isRuled`:
 * whether its organization has gates. `afterRollback`: whether a rollback creates a hold or is only recorded.
 */
export type LoadedDeployment = {
  row: DeploymentRow
  account: CloudAccount | undefined
  isRuled: boolean
  afterRollback: HoldRule['mode'] | null
}

export const loadedOf = (
  found: Omit<LoadedDeployment, 'account'> & { account: CloudAccountRow | null },
): LoadedDeployment => ({
  ...found,
  account: found.account ? connectionOf(found.account) : undefined,
})

/** Loads a deployment for the engine's handlers, by its id. It is the only query without an organization. */
export async function loadForWork(db: Db, id: string): Promise<LoadedDeployment | undefined> {
  const [found] = await forWork(db).execute({ id })
  return found && loadedOf(found)
}
