import { type RunnerTask, routes } from '@sluice/contract'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { listTasks, stepsOfTasks } from './store.ts'
import type { RunnerTaskRow } from './tables.ts'

export function serveRunnerTasks(app: App): void {
  handle(app, routes.listRunnerTasks, async ({ query, caller, db }) => {
    const page = app.openPage(routes.listRunnerTasks, caller, query)
    const found = await listTasks(db, caller.organizationId, query, page)
    const steps = await stepsOfTasks(db, caller.organizationId, found.rows)
    return page.reply(found, (row) => toWire(row, steps.get(row.stepExecutionId)))
  })
}

const toWire = (
  row: RunnerTaskRow,
  step: { stepName: string; pipelineRunId: string } = { stepName: '', pipelineRunId: '' },
): RunnerTask => ({
  id: row.id,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  organizationId: row.organizationId,
  executionEnvironmentId: row.executionEnvironmentId,
  pipelineRunId: step.pipelineRunId,
  stepExecutionId: row.stepExecutionId,
  stepName: step.stepName,
  attemptEpoch: row.attemptEpoch,
  status: row.status,
  ...(row.taskArn !== null && { taskArn: row.taskArn }),
  ...(row.claimedAt !== null && { claimedAt: row.claimedAt.toISOString() }),
  ...(row.trouble !== null && { error: row.trouble }),
})
