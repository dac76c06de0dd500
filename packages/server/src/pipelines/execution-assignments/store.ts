import type { CreateExecutionAssignment, ExecutionAssignmentParentType } from '@sluice/contract'
import { and, eq, isNull, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import { newId } from '../../platform/ids.ts'
import { executionAssignments as assignments, type ExecutionAssignmentRow } from './tables.ts'

const one = (organizationId: string, id: string) =>
  and(eq(assignments.organizationId, organizationId), eq(assignments.id, id))

type Parent = Pick<ExecutionAssignmentRow, 'projectId' | 'environmentId' | 'moduleDefinitionId'>

const ofOrganization: Parent = { projectId: null, environmentId: null, moduleDefinitionId: null }

/** Columns that identify the parent of an assignment. */
export const parentColumns: Record<ExecutionAssignmentParentType, (id: string) => Parent> = {
  organization: () => ofOrganization,
  project: (projectId) => ({ ...ofOrganization, projectId }),
  environment: (environmentId) => ({ ...ofOrganization, environmentId }),
  'module-definition': (moduleDefinitionId) => ({ ...ofOrganization, moduleDefinitionId }),
}

export async function insertExecutionAssignment(
  tx: Db,
  organizationId: string,
  { parentType, parentId, executionEnvironmentId }: CreateExecutionAssignment,
): Promise<ExecutionAssignmentRow> {
  const [row] = await tx
    .insert(assignments)
    .values({
      id: newId('exa'),
      organizationId,
      executionEnvironmentId,
      parentId,
      ...parentColumns[parentType](parentId),
    })
    .returning()
  if (!row) throw new Error('the assignment was not inserted')
  return row
}

export type AssignmentFilters = {
  parentType?: ExecutionAssignmentParentType
  parentId?: string
  executionEnvironmentId?: string
}

const columnOf = {
  project: assignments.projectId,
  environment: assignments.environmentId,
  'module-definition': assignments.moduleDefinitionId,
} as const

const isOfOrganization = and(
  isNull(assignments.projectId),
  isNull(assignments.environmentId),
  isNull(assignments.moduleDefinitionId),
)

export function listExecutionAssignments(
  db: Db,
  organizationId: string,
  { parentType, parentId, executionEnvironmentId }: AssignmentFilters,
  page: PageBounds,
): Promise<PageRows<ExecutionAssignmentRow>> {
  const where = and(
    eq(assignments.organizationId, organizationId),
    parentType === 'organization' ? isOfOrganization : undefined,
    parentType && parentType !== 'organization' ? sql`${columnOf[parentType]} is not null` : undefined,
    parentId === undefined ? undefined : eq(assignments.parentId, parentId),
    executionEnvironmentId === undefined ? undefined : eq(assignments.executionEnvironmentId, executionEnvironmentId),
  )
  return selectPage(db, assignments, where, page)
}

export async function findExecutionAssignment(
  db: Db,
  organizationId: string,
  id: string,
): Promise<ExecutionAssignmentRow | undefined> {
  const [row] = await db.select().from(assignments).where(one(organizationId, id))
  return row
}

export async function updateExecutionAssignment(
  tx: Db,
  organizationId: string,
  id: string,
  changes: { executionEnvironmentId?: string },
): Promise<ExecutionAssignmentRow | undefined> {
  const [row] = await tx
    .update(assignments)
    .set({ ...changes, updatedAt: sql`now()` })
    .where(one(organizationId, id))
    .returning()
  return row
}

/** Returns false if there is none. */
export async function removeExecutionAssignment(
  tx: Db,
  organizationId: string,
  id: string,
): Promise<ExecutionAssignmentRow | undefined> {
  const [row] = await tx.delete(assignments).where(one(organizationId, id)).returning()
  return row
}
