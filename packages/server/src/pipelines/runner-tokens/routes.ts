import { type RunnerToken, routes } from '@sluice/contract'
import { isReady } from '../../cloud/execution-environments/machine.ts'
import { shareLockExecutionEnvironment } from '../../cloud/execution-environments/store.ts'
import { recordChange } from '../../identity/audit-events/record.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle, handleGet, handleList } from '../../platform/http/handle.ts'
import { missing, referenceNotFound } from '../../platform/http/references.ts'
import { findRunnerToken, insertRunnerToken, listRunnerTokens, removeRunnerToken } from './store.ts'
import type { RunnerTokenRow } from './tables.ts'
import { newRunnerToken, storedRunnerToken } from './token.ts'

const resourceType = 'runner-token'

export function serveRunnerTokens(app: App): void {
  handle(app, routes.createRunnerToken, ({ body: { data }, caller, db, request }) =>
    db.transaction(async (tx) => {
      const { organizationId } = caller
      const pool = await shareLockExecutionEnvironment(tx, organizationId, data.executionEnvironmentId)
      if (!pool) throw referenceNotFound('executionEnvironmentId', 'execution environment', data.executionEnvironmentId)
      if (pool.kind !== 'runners' || !isReady(pool)) throw hasNoRunners(pool.givenId)
      const token = newRunnerToken()
      const row = await insertRunnerToken(tx, organizationId, { ...data, ...storedRunnerToken(token) })
      const change = { action: 'runner-tokens.create', resourceType, resourceId: row.id, details: data }
      await recordChange(tx, { caller, request }, change)
      return { data: { ...toWire(row), token } }
    }),
  )

  handleList(app, routes.listRunnerTokens, listRunnerTokens, toWire)
  handleGet(app, routes.getRunnerToken, { find: findRunnerToken, notFound, toWire })

  handle(app, routes.deleteRunnerToken, ({ params, caller, db, request }) =>
    db.transaction(async (tx) => {
      const row = await removeRunnerToken(tx, caller.organizationId, params.id)
      if (!row) throw notFound(params.id)
      const details = { name: row.name, executionEnvironmentId: row.executionEnvironmentId }
      const change = { action: 'runner-tokens.delete', resourceType, resourceId: row.id, details }
      await recordChange(tx, { caller, request }, change)
    }),
  )
}

const hasNoRunners = (givenId: string) =>
  new ApiError(
    'executionEnvironmentHasNoRunners',
    `Runners cannot join the execution environment ${givenId}, because it runs tasks in a cloud account. Create one of the kind runners.`,
  )

const notFound = (id: string) => missing('runnerTokenNotFound', 'runner token', id)

const toWire = (row: RunnerTokenRow): RunnerToken => ({
  id: row.id,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  organizationId: row.organizationId,
  executionEnvironmentId: row.executionEnvironmentId,
  name: row.name,
  tokenHint: row.tokenHint,
  ...(row.lastUsedAt !== null && { lastUsedAt: row.lastUsedAt.toISOString() }),
})
