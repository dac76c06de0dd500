import { type ExecutionEnvironment, routes } from '@sluice/contract'
import { recordChange } from '../../identity/audit-events/record.ts'
import type { Db } from '../../platform/db/open.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import type { OpenPage } from '../../platform/http/pagination.ts'
import { missing, referenceNotFound } from '../../platform/http/references.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { refuseTaken } from '../../platform/http/taken.ts'
import { holdCloudAccount } from '../cloud-accounts/store.ts'
import {
  findExecutionEnvironment,
  insertExecutionEnvironment,
  listExecutionEnvironments,
  removeExecutionEnvironment,
  updateExecutionEnvironment,
} from './store.ts'
import type { ExecutionEnvironmentRow } from './tables.ts'

const resourceType = 'execution-environment'

export function serveExecutionEnvironments(app: App, { openPage }: { openPage: OpenPage }): void {
  handle(app, routes.createExecutionEnvironment, ({ body: { data }, caller, db, request }) =>
    refuseTaken(givenIdIndex, givenIdTaken(data.givenId), () =>
      db.transaction(async (tx) => {
        await requireCloudAccount(tx, caller.organizationId, data.cloudAccountId)
        const row = await insertExecutionEnvironment(tx, caller.organizationId, data)
        const change = { action: 'execution-environments.create', resourceType, resourceId: row.id, details: data }
        await recordChange(tx, { caller, request }, change)
        return { data: toWire(row) }
      }),
    ),
  )

  handle(app, routes.listExecutionEnvironments, async ({ query, caller, db }) => {
    const page = openPage(routes.listExecutionEnvironments, caller, query)
    return page.reply(await listExecutionEnvironments(db, caller.organizationId, query, page), toWire)
  })

  handle(app, routes.getExecutionEnvironment, async ({ params, caller, db }) => {
    const row = await findExecutionEnvironment(db, caller.organizationId, params.id)
    if (!row) throw notFound(params.id)
    return { data: toWire(row) }
  })

  handle(app, routes.updateExecutionEnvironment, ({ params, body: { data }, caller, db, request }) =>
    refuseTaken(givenIdIndex, givenIdTaken(data.givenId), () =>
      db.transaction(async (tx) => {
        const { organizationId } = caller
        if (!(await findExecutionEnvironment(tx, organizationId, params.id))) throw notFound(params.id)
        if (data.cloudAccountId !== undefined) await requireCloudAccount(tx, organizationId, data.cloudAccountId)
        const row = await updateExecutionEnvironment(tx, organizationId, params.id, data)
        if (!row) throw notFound(params.id)
        const change = { action: 'execution-environments.update', resourceType, resourceId: row.id, details: data }
        await recordChange(tx, { caller, request }, change)
        return { data: toWire(row) }
      }),
    ),
  )

  handle(app, routes.deleteExecutionEnvironment, ({ params, caller, db, request }) =>
    db.transaction(async (tx) => {
      if (!(await removeExecutionEnvironment(tx, caller.organizationId, params.id))) throw notFound(params.id)
      const change = { action: 'execution-environments.delete', resourceType, resourceId: params.id }
      await recordChange(tx, { caller, request }, change)
    }),
  )
}

async function requireCloudAccount(tx: Db, organizationId: string, id: string): Promise<void> {
  const isThere = await holdCloudAccount(tx, organizationId, id)
  if (!isThere) throw referenceNotFound('cloudAccountId', 'cloud account', id)
}

const givenIdIndex = 'execution_environments_organization_given_id'

const givenIdTaken = (givenId: string | undefined) => () =>
  new Refusal(
    'executionEnvironmentGivenIdTaken',
    `There is another execution environment ${givenId} in this organization; choose another givenId.`,
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
  cloudAccountId: row.cloudAccountId,
  region: row.region,
  ...(row.network !== null && { network: row.network }),
})
