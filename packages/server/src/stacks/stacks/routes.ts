import { routes, type Stack, type StackWorkspace } from '@sluice/contract'
import { recordChange } from '../../identity/audit-events/record.ts'
import { recordsOf } from '../../identity/audit-events/records.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle, handleGet, handleList } from '../../platform/http/handle.ts'
import { inUse, missing, referenceNotFound } from '../../platform/http/references.ts'
import { rejectTaken } from '../../platform/http/taken.ts'
import { present } from '../../platform/present.ts'
import { lockProjectShared } from '../../projects/projects/store.ts'
import { lockWorkspace } from '../iac-states/locks.ts'
import { findLatestState } from '../iac-states/store.ts'
import { findStack, insertStack, listStacks, lockStack, lockStackShared, removeStack, updateStack } from './store.ts'
import type { StackRow, StackWorkspaceRow, StateLock } from './tables.ts'
import { findStackWorkspace, insertStackWorkspace, listStackWorkspaces, removeStackWorkspace } from './workspaces.ts'

export function serveStacks(app: App): void {
  serveStacksThemselves(app)
  serveWorkspaces(app)
}

function serveStacksThemselves(app: App): void {
  handle(app, routes.createStack, async (call) => {
    const { body, caller } = call
    const stack = await stackRecords.create(call, async (tx) => {
      const { projectId } = body.data
      if (!(await lockProjectShared(tx, caller.organizationId, projectId))) {
        throw referenceNotFound('projectId', 'project', projectId)
      }
      return insertStack(tx, caller.organizationId, body.data)
    })
    return { data: serialize(stack) }
  })

  handleList(app, routes.listStacks, listStacks, serialize)
  handleGet(app, routes.getStack, { find: findStack, notFound, toWire: serialize })

  handle(app, routes.updateStack, async (call) => {
    const { params, body, caller } = call
    const stack = await stackRecords.update(call, (tx) => updateStack(tx, caller.organizationId, params.id, body.data))
    return { data: serialize(stack) }
  })

  handle(app, routes.deleteStack, (call) => {
    const { params, caller } = call
    const { organizationId } = caller
    return stackRecords.remove(
      call,
      (tx) => lockStack(tx, organizationId, params.id),
      async (tx, stack) => {
        const users = await app.findDependents('stacks', tx, organizationId, stack.id)
        if (users.length > 0) throw inUse('stackInUse', `stack ${stack.givenId}`, users)
        await removeStack(tx, organizationId, stack.id)
      },
    )
  })
}

function serveWorkspaces(app: App): void {
  const resourceType = 'stack-workspace'

  handle(app, routes.createStackWorkspace, ({ body: { data }, caller, db, request }) =>
    rejectTaken('stack_workspaces_stack_name', nameTaken(data.name), () =>
      db.transaction(async (tx) => {
        const { organizationId } = caller
        const stack = await lockStackShared(tx, organizationId, data.stackId)
        if (!stack) throw referenceNotFound('stackId', 'stack', data.stackId)
        const workspace = await insertStackWorkspace(tx, organizationId, data)
        const change = { action: 'stack-workspaces.create', resourceType, resourceId: workspace.id, of: stack }
        await recordChange(tx, { caller, request }, { ...change, details: data })
        return { data: serializeWorkspace(workspace) }
      }),
    ),
  )

  handleList(app, routes.listStackWorkspaces, listStackWorkspaces, serializeWorkspace)

  handleGet(app, routes.getStackWorkspace, {
    find: findStackWorkspace,
    notFound: workspaceNotFound,
    toWire: serializeWorkspace,
  })

  handle(app, routes.deleteStackWorkspace, ({ params, caller, db, request }) =>
    db.transaction(async (tx) => {
      const { organizationId } = caller
      const workspace = await lockWorkspace(tx, organizationId, params.id)
      if (!workspace) throw workspaceNotFound(params.id)
      const users = await dependentsOfWorkspace(tx, workspace)
      if (users.length > 0) throw inUse('stackWorkspaceInUse', `workspace ${workspace.name}`, users)
      await removeStackWorkspace(tx, organizationId, workspace.id)
      const stack = await findStack(tx, organizationId, workspace.stackId)
      const about = { resourceType, resourceId: workspace.id, ...present({ of: stack }) }
      const change = { action: 'stack-workspaces.delete', ...about }
      await recordChange(tx, { caller, request }, change)
    }),
  )
}

/**
 * Returns what prevents the deletion of a workspace: its resources, which nothing else refers to, and the holder of its
 * lock.
 */
async function dependentsOfWorkspace(tx: Db, { organizationId, id, lock }: StackWorkspaceRow): Promise<string[]> {
  const latest = await findLatestState(tx, organizationId, id)
  return [
    ...(lock ? [lock.heldBy] : []),
    ...(latest && latest.resourceCount > 0 ? [`${latest.resourceCount} resources in its state ${latest.id}`] : []),
  ]
}

const notFound = (id: string) => missing('stackNotFound', 'stack', id)

const stackRecords = recordsOf({
  plural: 'stacks',
  resourceType: 'stack',
  givenIdIndex: 'stacks_project_given_id',
  givenIdTaken: (givenId) =>
    new ApiError('stackGivenIdTaken', `The project already has a stack ${givenId}. Choose another givenId.`),
  notFound,
})

const nameTaken = (name: string) => () =>
  new ApiError('stackWorkspaceNameTaken', `The stack already has a workspace ${name}. Choose another name.`)

const workspaceNotFound = (id: string) => missing('stackWorkspaceNotFound', 'workspace', id)

/** Returns the API representation, without outputs, because some of them are secrets. */
const serialize = (row: StackRow): Stack => ({
  id: row.id,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  organizationId: row.organizationId,
  projectId: row.projectId,
  givenId: row.givenId,
  name: row.name,
  ...(row.description !== null && { description: row.description }),
})

const serializeWorkspace = (row: StackWorkspaceRow): StackWorkspace => ({
  id: row.id,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  organizationId: row.organizationId,
  stackId: row.stackId,
  name: row.name,
  ...(row.lock !== null && { lock: serializeLock(row.lock) }),
})

/** Returns the API representation of a lock, without the tool's id, which would allow to release it. */
const serializeLock = ({ operation, heldBy, since, stepExecutionId }: StateLock) => ({
  operation,
  heldBy,
  since,
  ...(stepExecutionId !== undefined && { stepExecutionId }),
})
