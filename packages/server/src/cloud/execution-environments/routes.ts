import { type ExecutionEnvironment, routes } from '@sluice/contract'
import { recordChange } from '../../identity/audit-events/record.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle, handleGet, handleList } from '../../platform/http/handle.ts'
import { bodyInvalid } from '../../platform/http/input.ts'
import { inUse, missing, referenceNotFound } from '../../platform/http/references.ts'
import { rejectTaken } from '../../platform/http/taken.ts'
import { shareLockCloudAccount } from '../cloud-accounts/store.ts'
import { isReady, placeFaults, unreachable, withDefaults } from './machine.ts'
import { checkSetup, type SetupParts } from './setup.ts'
import {
  findExecutionEnvironment,
  insertExecutionEnvironment,
  listExecutionEnvironments,
  lockExecutionEnvironment,
  removeExecutionEnvironment,
  updateExecutionEnvironment,
} from './store.ts'
import type { ExecutionEnvironmentRow } from './tables.ts'

const resourceType = 'execution-environment'

export type ExecutionEnvironmentParts = SetupParts

export function serveExecutionEnvironments(app: App, parts: ExecutionEnvironmentParts): void {
  const { runnerUrl } = parts

  handle(app, routes.createExecutionEnvironment, async ({ body: { data }, caller, db, request }) => {
    const { kind = 'cloud' } = data
    const faults = placeFaults(kind, data, 'all')
    if (faults.length > 0) throw bodyInvalid(faults)
    const isBeyondReach = kind === 'cloud' && runnerUrl === undefined
    const made = await rejectTaken(givenIdIndex, givenIdTaken(data.givenId), () =>
      db.transaction(async (tx) => {
        await requireCloudAccount(tx, caller.organizationId, data.cloudAccountId)
        if (isBeyondReach) throw new ApiError('executionEnvironmentUnreachable', unreachable)
        const row = await insertExecutionEnvironment(tx, caller.organizationId, data)
        const change = { action: 'execution-environments.create', resourceType, resourceId: row.id, details: data }
        await recordChange(tx, { caller, request }, change)
        return row
      }),
    )
    return { data: toWire(await checkSetup(parts, db, made)) }
  })

  handleList(app, routes.listExecutionEnvironments, listExecutionEnvironments, toWire)
  handleGet(app, routes.getExecutionEnvironment, { find: findExecutionEnvironment, notFound, toWire })

  handle(app, routes.updateExecutionEnvironment, async ({ params, body: { data }, caller, db, request }) => {
    const changed = await rejectTaken(givenIdIndex, givenIdTaken(data.givenId), () =>
      db.transaction(async (tx) => {
        const { organizationId } = caller
        const found = await findExecutionEnvironment(tx, organizationId, params.id)
        if (!found) throw notFound(params.id)
        const faults = placeFaults(found.kind, data, 'changes')
        if (faults.length > 0) throw bodyInvalid(faults)
        await requireCloudAccount(tx, organizationId, data.cloudAccountId)
        const row = await updateExecutionEnvironment(tx, organizationId, params.id, data)
        if (!row) throw notFound(params.id)
        const change = { action: 'execution-environments.update', resourceType, resourceId: row.id, details: data }
        await recordChange(tx, { caller, request }, change)
        return row
      }),
    )
    return { data: toWire(await checkSetup(parts, db, changed)) }
  })

  handle(app, routes.checkExecutionEnvironment, async ({ params, caller, db, request }) => {
    const found = await findExecutionEnvironment(db, caller.organizationId, params.id)
    if (!found) throw notFound(params.id)
    const row = await checkSetup(parts, db, found)
    const details = { isReady: isReady(row), ...(row.problem !== null && { problem: row.problem }) }
    const change = { action: 'execution-environments.check', resourceType, resourceId: row.id, details }
    await recordChange(db, { caller, request }, change)
    return { data: toWire(row) }
  })

  handle(app, routes.deleteExecutionEnvironment, ({ params, caller, db, request }) =>
    db.transaction(async (tx) => {
      const { organizationId } = caller
      const row = await lockExecutionEnvironment(tx, organizationId, params.id)
      if (!row) throw notFound(params.id)
      const users = await app.findDependents('execution-environments', tx, organizationId, row.id)
      if (users.length > 0) throw inUse('executionEnvironmentInUse', `execution environment ${row.givenId}`, users)
      await removeExecutionEnvironment(tx, organizationId, row.id)
      const change = { action: 'execution-environments.delete', resourceType, resourceId: params.id }
      await recordChange(tx, { caller, request }, change)
    }),
  )
}

async function requireCloudAccount(tx: Db, organizationId: string, id: string | undefined): Promise<void> {
  if (id === undefined) return
  const isThere = await shareLockCloudAccount(tx, organizationId, id)
  if (!isThere) throw referenceNotFound('cloudAccountId', 'cloud account', id)
}

const givenIdIndex = 'execution_environments_organization_given_id'

const givenIdTaken = (givenId: string | undefined) => () =>
  new ApiError(
    'executionEnvironmentGivenIdTaken',
    `The organization already has an execution environment ${givenId}. Choose another givenId.`,
  )

const notFound = (id: string) => missing('executionEnvironmentNotFound', 'execution environment', id)

const toWire = (row: ExecutionEnvironmentRow): ExecutionEnvironment => ({
  id: row.id,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  organizationId: row.organizationId,
  givenId: row.givenId,
  name: row.name,
  ...(row.description !== null && { description: row.description }),
  kind: row.kind,
  ...(row.cloudAccountId !== null && { cloudAccountId: row.cloudAccountId }),
  ...(row.region !== null && { region: row.region }),
  ...(row.network !== null && { network: row.network }),
  ...(row.kind === 'cloud' && withDefaults(row)),
  isReady: isReady(row),
  ...(row.problem !== null && { problem: row.problem }),
})
