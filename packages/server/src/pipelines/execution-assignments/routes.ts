import { type CreateExecutionAssignment, type ExecutionAssignment, routes } from '@sluice/contract'
import { shareLockExecutionEnvironment } from '../../cloud/execution-environments/store.ts'
import { type RecordScope, recordChange } from '../../identity/audit-events/record.ts'
import { findModuleDefinition } from '../../modules/module-definitions/store.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle, handleGet, handleList } from '../../platform/http/handle.ts'
import { missing, referenceNotFound } from '../../platform/http/references.ts'
import { rejectTaken } from '../../platform/http/taken.ts'
import { findEnvironment, lockEnvironmentShared } from '../../projects/environments/store.ts'
import { lockProjectShared } from '../../projects/projects/store.ts'
import {
  findExecutionAssignment,
  insertExecutionAssignment,
  listExecutionAssignments,
  removeExecutionAssignment,
  updateExecutionAssignment,
} from './store.ts'
import type { ExecutionAssignmentRow } from './tables.ts'

const resourceType = 'execution-assignment'

export function serveExecutionAssignments(app: App): void {
  handle(app, routes.createExecutionAssignment, ({ body: { data }, caller, db, request }) =>
    rejectTaken('execution_assignments_once', alreadySet(data), () =>
      db.transaction(async (tx) => {
        const { organizationId } = caller
        await requireParent(tx, organizationId, data)
        await requireExecutionEnvironment(tx, organizationId, data.executionEnvironmentId)
        const row = await insertExecutionAssignment(tx, organizationId, data)
        const change = { action: 'execution-assignments.create', resourceType, resourceId: row.id, details: data }
        await recordChange(tx, { caller, request }, { ...change, of: await placeOf(tx, row) })
        return { data: serialize(row) }
      }),
    ),
  )

  handleList(app, routes.listExecutionAssignments, listExecutionAssignments, serialize)
  handleGet(app, routes.getExecutionAssignment, { find: findExecutionAssignment, notFound, toWire: serialize })

  handle(app, routes.updateExecutionAssignment, ({ params, body: { data }, caller, db, request }) =>
    db.transaction(async (tx) => {
      const { organizationId } = caller
      if (!(await findExecutionAssignment(tx, organizationId, params.id))) throw notFound(params.id)
      await requireExecutionEnvironment(tx, organizationId, data.executionEnvironmentId)
      const row = await updateExecutionAssignment(tx, organizationId, params.id, data)
      if (!row) throw notFound(params.id)
      const change = { action: 'execution-assignments.update', resourceType, resourceId: row.id, details: data }
      await recordChange(tx, { caller, request }, { ...change, of: await placeOf(tx, row) })
      return { data: serialize(row) }
    }),
  )

  handle(app, routes.deleteExecutionAssignment, ({ params, caller, db, request }) =>
    db.transaction(async (tx) => {
      const row = await removeExecutionAssignment(tx, caller.organizationId, params.id)
      if (!row) throw notFound(params.id)
      const change = { action: 'execution-assignments.delete', resourceType, resourceId: row.id }
      await recordChange(tx, { caller, request }, { ...change, of: await placeOf(tx, row) })
    }),
  )
}

async function requireParent(
  tx: Db,
  organizationId: string,
  { parentType, parentId }: CreateExecutionAssignment,
): Promise<void> {
  const isThere = {
    organization: async () => parentId === organizationId,
    project: () => lockProjectShared(tx, organizationId, parentId),
    environment: async () => (await lockEnvironmentShared(tx, organizationId, parentId)) !== undefined,
    'module-definition': async () => (await findModuleDefinition(tx, organizationId, parentId)) !== undefined,
  }
  if (!(await isThere[parentType]())) throw referenceNotFound('parentId', parentType.replace('-', ' '), parentId)
}

/** Returns the project and environment of an assignment's parent. */
async function placeOf(
  tx: Db,
  { organizationId, projectId, environmentId }: ExecutionAssignmentRow,
): Promise<RecordScope> {
  if (environmentId === null) return { projectId }
  return { projectId: (await findEnvironment(tx, organizationId, environmentId))?.projectId, environmentId }
}

async function requireExecutionEnvironment(tx: Db, organizationId: string, id: string | undefined): Promise<void> {
  if (id === undefined || (await shareLockExecutionEnvironment(tx, organizationId, id))) return
  throw referenceNotFound('executionEnvironmentId', 'execution environment', id)
}

const alreadySet =
  ({ parentType, parentId }: CreateExecutionAssignment) =>
  () =>
    new ApiError(
      'executionAssignmentTaken',
      `The ${parentType} ${parentId} already has an assignment. Change that one.`,
    )

const notFound = (id: string) => missing('executionAssignmentNotFound', 'execution assignment', id)

const serialize = (row: ExecutionAssignmentRow): ExecutionAssignment => ({
  id: row.id,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  organizationId: row.organizationId,
  ...parentOf(row),
  executionEnvironmentId: row.executionEnvironmentId,
})

function parentOf(row: ExecutionAssignmentRow): Pick<ExecutionAssignment, 'parentType' | 'parentId'> {
  if (row.projectId !== null) return { parentType: 'project', parentId: row.projectId }
  if (row.environmentId !== null) return { parentType: 'environment', parentId: row.environmentId }
  if (row.moduleDefinitionId !== null) return { parentType: 'module-definition', parentId: row.moduleDefinitionId }
  return { parentType: 'organization', parentId: row.organizationId }
}
