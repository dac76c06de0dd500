import { unfinishedRunStatuses, unfinishedStepStatuses } from '@sluice/contract'
import { unfinishedStatuses } from '../../delivery/deployments/execution/machine.ts'
import { deployments } from '../../delivery/deployments/store/tables.ts'
import {
  type ModuleInstanceRow,
  moduleInstanceReferences,
  moduleInstances,
} from '../../modules/module-instances/tables.ts'
import { pipelineRuns, pipelineStepExecutions } from '../../pipelines/pipelines/tables.ts'
import { and, asc, eq, inArray, isNotNull, ne, notInArray, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import { overdueIn } from '../../platform/engine/overdue.ts'
import { newId } from '../../platform/ids.ts'
import { projects } from '../../projects/projects/tables.ts'
import { iacResources } from '../iac-resources/tables.ts'
import type { Part } from './machine.ts'
import { type PreviewRow, type PreviewTemplateRow, previewEnvironments, previewTemplates } from './tables.ts'
import { previewService, toPreview } from './wake.ts'

const oneTemplate = (organizationId: string, id: string) =>
  and(eq(previewTemplates.organizationId, organizationId), eq(previewTemplates.id, id))

const onePreview = (organizationId: string, id: string) =>
  and(eq(previewEnvironments.organizationId, organizationId), eq(previewEnvironments.id, id))

export async function insertTemplate(
  tx: Db,
  row: Omit<typeof previewTemplates.$inferInsert, 'id'>,
): Promise<PreviewTemplateRow> {
  const [inserted] = await tx
    .insert(previewTemplates)
    .values({ id: newId('pvt'), ...row })
    .returning()
  if (!inserted) throw new Error('the preview template was not inserted')
  return inserted
}

export const countTemplates = (db: Db, organizationId: string): Promise<number> =>
  db.$count(previewTemplates, eq(previewTemplates.organizationId, organizationId))

export function listTemplates(
  db: Db,
  organizationId: string,
  { projectId, codeSourceId }: { projectId?: string; codeSourceId?: string },
  page: PageBounds,
): Promise<PageRows<PreviewTemplateRow>> {
  const where = and(
    eq(previewTemplates.organizationId, organizationId),
    projectId === undefined ? undefined : eq(previewTemplates.projectId, projectId),
    codeSourceId === undefined ? undefined : eq(previewTemplates.codeSourceId, codeSourceId),
  )
  return selectPage(db, previewTemplates, where, page)
}

export async function findTemplate(
  db: Db,
  organizationId: string,
  id: string,
): Promise<PreviewTemplateRow | undefined> {
  const [row] = await db.select().from(previewTemplates).where(oneTemplate(organizationId, id))
  return row
}

/** Locks and returns the template until the transaction ends. */
export async function lockTemplate(
  tx: Db,
  organizationId: string,
  id: string,
): Promise<PreviewTemplateRow | undefined> {
  const [row] = await tx.select().from(previewTemplates).where(oneTemplate(organizationId, id)).for('update')
  return row
}

export async function updateTemplate(
  tx: Db,
  { organizationId, id }: PreviewTemplateRow,
  changes: Partial<typeof previewTemplates.$inferInsert>,
): Promise<PreviewTemplateRow> {
  const [row] = await tx
    .update(previewTemplates)
    .set({ ...changes, updatedAt: sql`now()` })
    .where(oneTemplate(organizationId, id))
    .returning()
  if (!row) throw new Error(`the preview template ${id} was locked and is gone`)
  return row
}

export async function removeTemplate(tx: Db, { organizationId, id }: PreviewTemplateRow): Promise<void> {
  await tx.delete(previewTemplates).where(oneTemplate(organizationId, id))
}

/** Returns the templates for a repository and locks them against deletion until the transaction ends. */
export function templatesOf(tx: Db, organizationId: string, codeSourceId: string): Promise<PreviewTemplateRow[]> {
  const ofSource = and(
    eq(previewTemplates.organizationId, organizationId),
    eq(previewTemplates.codeSourceId, codeSourceId),
  )
  return tx.select().from(previewTemplates).where(ofSource).orderBy(asc(previewTemplates.id)).for('key share')
}

/** Reports whether any template of a repository filters by paths. */
export async function anyTemplateHasPaths(db: Db, organizationId: string, codeSourceId: string): Promise<boolean> {
  const [row] = await db
    .select({ id: previewTemplates.id })
    .from(previewTemplates)
    .where(
      and(
        eq(previewTemplates.organizationId, organizationId),
        eq(previewTemplates.codeSourceId, codeSourceId),
        sql`${previewTemplates.paths} is not null`,
      ),
    )
    .limit(1)
  return row !== undefined
}

/** Counts the template's preview environments that are not destroyed. */
export const countLeft = (db: Db, organizationId: string, previewTemplateId: string): Promise<number> =>
  db.$count(
    previewEnvironments,
    and(
      eq(previewEnvironments.organizationId, organizationId),
      eq(previewEnvironments.previewTemplateId, previewTemplateId),
      ne(previewEnvironments.status, 'DESTROYED'),
    ),
  )

/** Inserts a preview environment, or returns undefined if the pull request already has one. */
export async function insertPreview(
  tx: Db,
  row: Omit<typeof previewEnvironments.$inferInsert, 'id'>,
): Promise<PreviewRow | undefined> {
  const [inserted] = await tx
    .insert(previewEnvironments)
    .values({ id: newId('pve'), ...row })
    .onConflictDoNothing()
    .returning()
  return inserted
}

type Filters = { projectId?: string; previewTemplateId?: string; environmentId?: string; includeDeleted: boolean }

export function listPreviews(
  db: Db,
  organizationId: string,
  { projectId, previewTemplateId, environmentId, includeDeleted }: Filters,
  page: PageBounds,
): Promise<PageRows<PreviewRow>> {
  const where = and(
    eq(previewEnvironments.organizationId, organizationId),
    projectId === undefined ? undefined : eq(previewEnvironments.projectId, projectId),
    previewTemplateId === undefined ? undefined : eq(previewEnvironments.previewTemplateId, previewTemplateId),
    environmentId === undefined ? undefined : eq(previewEnvironments.environmentId, environmentId),
    includeDeleted ? undefined : ne(previewEnvironments.status, 'DESTROYED'),
  )
  return selectPage(db, previewEnvironments, where, page)
}

export async function findPreview(db: Db, organizationId: string, id: string): Promise<PreviewRow | undefined> {
  const [row] = await db.select().from(previewEnvironments).where(onePreview(organizationId, id))
  return row
}

/** Loads a preview environment for the durable object, whose key is its id. */
export async function findPreviewOf(db: Db, id: string): Promise<PreviewRow | undefined> {
  const [row] = await db.select().from(previewEnvironments).where(eq(previewEnvironments.id, id))
  return row
}

/** Loads and locks a preview environment until the transaction ends. */
export async function lockPreviewOf(tx: Db, id: string): Promise<PreviewRow | undefined> {
  const [row] = await tx.select().from(previewEnvironments).where(eq(previewEnvironments.id, id)).for('update')
  return row
}

export async function lockPreview(tx: Db, organizationId: string, id: string): Promise<PreviewRow | undefined> {
  const [row] = await tx.select().from(previewEnvironments).where(onePreview(organizationId, id)).for('update')
  return row
}

export async function lockPreviewOfRequest(
  tx: Db,
  { organizationId, id }: PreviewTemplateRow,
  number: number,
): Promise<PreviewRow | undefined> {
  const ofRequest = and(
    eq(previewEnvironments.organizationId, organizationId),
    eq(previewEnvironments.previewTemplateId, id),
    eq(previewEnvironments.number, number),
  )
  const [row] = await tx.select().from(previewEnvironments).where(ofRequest).for('update')
  return row
}

export type PreviewChanges = Partial<Omit<PreviewRow, 'id' | 'organizationId' | 'createdAt'>>

export async function savePreview(
  tx: Db,
  { organizationId, id }: Pick<PreviewRow, 'organizationId' | 'id'>,
  changes: PreviewChanges,
  now: Date,
): Promise<PreviewRow> {
  const [row] = await tx
    .update(previewEnvironments)
    .set({ ...changes, updatedAt: now }) // the next action depends on the time of the update
    .where(onePreview(organizationId, id))
    .returning()
  if (!row) throw new Error(`the preview environment ${id} is gone`)
  return row
}

/** Schedules the next reconciliation. This does not count as a change of the resource. */
export async function sleepUntil(tx: Db, { organizationId, id }: PreviewRow, wakeAt: Date | null): Promise<void> {
  await tx.update(previewEnvironments).set({ wakeAt }).where(onePreview(organizationId, id))
}

/** Returns messages for preview environments whose wake-up is overdue. */
export const overduePreviews = overdueIn(previewEnvironments, {
  service: previewService,
  messagesOf: (rows) => rows.map(({ id }) => toPreview(id)),
  graceMs: 0,
})

/**
 * Reports whether the project's limit allows another one. Locks the project, so that concurrent checks are serialized.
 */
export async function hasRoomIn(tx: Db, { organizationId, projectId, maxPerProject }: PreviewTemplateRow) {
  const ofProject = and(eq(projects.organizationId, organizationId), eq(projects.id, projectId))
  await tx.select({ id: projects.id }).from(projects).where(ofProject).for('no key update')
  const taken = await tx.$count(
    previewEnvironments,
    and(
      eq(previewEnvironments.organizationId, organizationId),
      eq(previewEnvironments.projectId, projectId),
      isNotNull(previewEnvironments.environmentId),
    ),
  )
  return taken < maxPerProject
}

/** Stores the result of updating the pull request, and the time of a retry. */
export async function saveCommentResult(
  db: Db,
  { organizationId, id }: PreviewRow,
  changes: Partial<Pick<PreviewRow, 'told' | 'tellFailures' | 'tellAt'>>,
): Promise<void> {
  const { tellAt } = changes
  const wakeAt = tellAt && { wakeAt: sql`least(${previewEnvironments.wakeAt}, ${tellAt.toISOString()}::timestamptz)` }
  await db
    .update(previewEnvironments)
    .set({ ...changes, ...wakeAt })
    .where(onePreview(organizationId, id))
}

/** Returns the instances of an environment that are not destroyed. */
export const instancesIn = (db: Db, organizationId: string, environmentId: string): Promise<ModuleInstanceRow[]> =>
  db
    .select()
    .from(moduleInstances)
    .where(
      and(
        eq(moduleInstances.organizationId, organizationId),
        eq(moduleInstances.environmentId, environmentId),
        ne(moduleInstances.status, 'DESTROYED'),
      ),
    )
    .orderBy(asc(moduleInstances.id))

/** Returns the instances of an environment with what the next action depends on. */
export async function partsOf(db: Db, organizationId: string, environmentId: string | null): Promise<Part[]> {
  if (environmentId === null) return []
  const rows = await instancesIn(db, organizationId, environmentId)
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const [references, busy] = [await referencesTo(db, organizationId, ids), await busyAmong(db, organizationId, ids)]
  return rows.map(({ id, givenId, status, stackId, error }) => ({
    id,
    givenId,
    status,
    hasStack: stackId !== null,
    isBusy: busy.has(id),
    error: error?.message,
    referredBy: references
      .filter(({ referredId }) => referredId === id)
      .map(({ moduleInstanceId }) => moduleInstanceId),
  }))
}

export const referencesTo = (db: Db, organizationId: string, ids: string[]) =>
  db
    .select({
      moduleInstanceId: moduleInstanceReferences.moduleInstanceId,
      referredId: moduleInstanceReferences.referredId,
    })
    .from(moduleInstanceReferences)
    .where(
      and(
        eq(moduleInstanceReferences.organizationId, organizationId),
        inArray(moduleInstanceReferences.referredId, ids),
      ),
    )

/** Returns the ids of instances with a deployment, run or step in progress. */
async function busyAmong(db: Db, organizationId: string, ids: string[]): Promise<Set<string>> {
  const tables = [
    { table: deployments, unfinished: inArray(deployments.status, unfinishedStatuses) },
    { table: pipelineRuns, unfinished: inArray(pipelineRuns.status, unfinishedRunStatuses) },
    { table: pipelineStepExecutions, unfinished: inArray(pipelineStepExecutions.status, unfinishedStepStatuses) },
  ]
  const busy = new Set<string>()
  for (const { table, unfinished } of tables) {
    const ofThese = and(eq(table.organizationId, organizationId), inArray(table.moduleInstanceId, ids), unfinished)
    const rows = await db.select({ id: table.moduleInstanceId }).from(table).where(ofThese)
    for (const { id } of rows) if (id !== null) busy.add(id)
  }
  return busy
}

/** Returns the deployments and runs of instances that are in progress, except runs that destroy. */
export async function inProgress(db: Db, organizationId: string, ids: string[]) {
  const ofDeployments = and(
    eq(deployments.organizationId, organizationId),
    inArray(deployments.moduleInstanceId, ids),
    inArray(deployments.status, unfinishedStatuses),
  )
  const ofRuns = and(
    eq(pipelineRuns.organizationId, organizationId),
    inArray(pipelineRuns.moduleInstanceId, ids),
    inArray(pipelineRuns.status, unfinishedRunStatuses),
  )
  const [some, others] = [
    await db.select({ id: deployments.id }).from(deployments).where(ofDeployments),
    await db.select({ id: pipelineRuns.id }).from(pipelineRuns).where(ofRuns),
  ]
  return { deploymentIds: some.map(({ id }) => id), runIds: others.map(({ id }) => id) }
}

/** Counts the instances and stack resources by environment. */
export async function countsOf(
  db: Db,
  organizationId: string,
  environmentIds: string[],
): Promise<Map<string, { instances: number; resources: number }>> {
  if (environmentIds.length === 0) return new Map()
  const rows = await db
    .select({
      environmentId: moduleInstances.environmentId,
      instances: sql<number>`count(distinct ${moduleInstances.id})::int`,
      resources: sql<number>`count(${iacResources.id})::int`,
    })
    .from(moduleInstances)
    .leftJoin(
      iacResources,
      and(eq(iacResources.stackId, moduleInstances.stackId), eq(iacResources.isInCurrentState, true)),
    )
    .where(
      and(
        eq(moduleInstances.organizationId, organizationId),
        inArray(moduleInstances.environmentId, environmentIds),
        notInArray(moduleInstances.status, ['DESTROYED']),
      ),
    )
    .groupBy(moduleInstances.environmentId)
  return new Map(rows.map(({ environmentId, ...counts }) => [environmentId, counts]))
}
