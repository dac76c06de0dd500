import { type Runner, routes } from '@sluice/contract'
import { recordChange } from '../../identity/audit-events/record.ts'
import type { Db } from '../../platform/db/open.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { missing } from '../../platform/http/references.ts'
import type { PipelineStepExecutionRow } from '../pipelines/tables.ts'
import { statusOf } from './machine.ts'
import { findRunner, listRunners, removeRunner, stepsOnRunners, updateRunner } from './store.ts'
import type { RunnerRow } from './tables.ts'

const resourceType = 'runner'

export function serveRunnerPools(app: App, { clock }: { clock: () => Date }): void {
  handle(app, routes.listRunners, async ({ query, caller, db }) => {
    const page = app.openPage(routes.listRunners, caller, query)
    const found = await listRunners(db, caller.organizationId, query, page)
    const steps = await stepsOf(db, caller.organizationId, found.rows)
    return page.reply(found, (row) => toWire(row, steps, clock()))
  })

  handle(app, routes.getRunner, async ({ params, caller, db }) => {
    const row = await findRunner(db, caller.organizationId, params.id)
    if (!row) throw notFound(params.id)
    return { data: toWire(row, await stepsOf(db, caller.organizationId, [row]), clock()) }
  })

  handle(app, routes.updateRunner, ({ params, body: { data }, caller, db, request }) =>
    db.transaction(async (tx) => {
      const row = await updateRunner(tx, caller.organizationId, params.id, data)
      if (!row) throw notFound(params.id)
      const change = { action: 'runners.update', resourceType, resourceId: row.id, details: data }
      await recordChange(tx, { caller, request }, change)
      return { data: toWire(row, await stepsOf(tx, caller.organizationId, [row]), clock()) }
    }),
  )

  handle(app, routes.deleteRunner, ({ params, caller, db, request }) =>
    db.transaction(async (tx) => {
      if (!(await removeRunner(tx, caller.organizationId, params.id))) throw notFound(params.id)
      await recordChange(tx, { caller, request }, { action: 'runners.delete', resourceType, resourceId: params.id })
    }),
  )
}

const stepsOf = (db: Db, organizationId: string, rows: readonly RunnerRow[]) =>
  stepsOnRunners(
    db,
    organizationId,
    rows.map(({ runnerId }) => runnerId),
  )

const notFound = (id: string) => missing('runnerNotFound', 'runner', id)

const toWire = (row: RunnerRow, steps: readonly PipelineStepExecutionRow[], now: Date): Runner => ({
  id: row.id,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  organizationId: row.organizationId,
  executionEnvironmentId: row.executionEnvironmentId,
  runnerTokenId: row.runnerTokenId,
  machine: row.machine,
  version: row.version,
  isolation: row.isolation,
  labels: row.labels,
  capacity: row.capacity,
  status: statusOf(row.lastSeenAt, now),
  lastSeenAt: row.lastSeenAt.toISOString(),
  isDraining: row.isDraining,
  steps: steps.filter((step) => isOn(step, row)).map(toWireStep),
})

const isOn = (step: PipelineStepExecutionRow, { runnerId, executionEnvironmentId }: RunnerRow): boolean =>
  step.runnerId === runnerId && step.executionEnvironmentId === executionEnvironmentId

const toWireStep = ({ id, pipelineRunId, stepName, startedAt }: PipelineStepExecutionRow) => ({
  stepExecutionId: id,
  pipelineRunId,
  stepName,
  ...(startedAt !== null && { startedAt: startedAt.toISOString() }),
})
