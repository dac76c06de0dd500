import { failures, type PipelineStepExecution, routes } from '@sluice/contract'
import { recordChange } from '../audit-events/record.ts'
import type { Decision, PipelineStepExecutionRow } from '../pipelines/tables.ts'
import { type Caller, nameOf } from '../platform/auth/caller.ts'
import type { Db } from '../platform/db/open.ts'
import type { App } from '../platform/http/app.ts'
import { handle } from '../platform/http/handle.ts'
import type { OpenPage } from '../platform/http/pagination.ts'
import { Refusal } from '../platform/http/refusal.ts'
import { present } from '../platform/present.ts'
import {
  type Decided,
  decidePipelineStepExecution,
  findPipelineStepExecution,
  listPipelineStepExecutions,
} from './store.ts'

const resourceType = 'pipeline-step-execution'

type Parts = { openPage: OpenPage; clock: () => Date }

export function servePipelineStepExecutions(app: App, { openPage, clock }: Parts): void {
  handle(app, routes.listPipelineStepExecutions, async ({ query, caller, db }) => {
    const page = openPage(routes.listPipelineStepExecutions, caller, query)
    return page.reply(await listPipelineStepExecutions(db, caller.organizationId, query, page), toWire)
  })

  handle(app, routes.getPipelineStepExecution, async ({ params, caller, db }) => {
    const step = await findPipelineStepExecution(db, caller.organizationId, params.id)
    if (!step) throw notFound(params.id)
    return { data: toWire(step) }
  })

  handle(app, routes.approvePipelineStepExecution, ({ params, caller, db, request }) =>
    db.transaction(async (tx) => {
      const step = await decided(tx, caller, params.id, approved(decisionOf(caller, true, clock())))
      const change = { action: 'pipeline-step-executions.approve', resourceType, resourceId: step.id }
      await recordChange(tx, { caller, request }, change)
      return { data: toWire(step) }
    }),
  )

  handle(app, routes.rejectPipelineStepExecution, ({ params, body, caller, db, request }) =>
    db.transaction(async (tx) => {
      const now = clock()
      const step = await decided(
        tx,
        caller,
        params.id,
        rejected(decisionOf(caller, false, now, body.data?.comment), now),
      )
      const change = { action: 'pipeline-step-executions.reject', resourceType, resourceId: step.id }
      await recordChange(tx, { caller, request }, { ...change, details: { ...body.data } })
      return { data: toWire(step) }
    }),
  )
}

const decisionOf = (caller: Caller, isApproved: boolean, at: Date, comment?: string): Decision =>
  present({ approved: isApproved, by: nameOf(caller), at: at.toISOString(), comment })

/** It queues again, now only for its turn. */
const approved = (decision: Decision): Decided => ({
  status: 'QUEUED',
  queueReason: 'APPROVED',
  queueMetadata: {},
  decision,
})

const rejected = (decision: Decision, now: Date): Decided => ({
  status: 'ERROR',
  completedAt: now,
  decision,
  error: present({
    code: failures.stepRejected.code,
    message: `${decision.by} turned the step down.`,
    description: decision.comment,
  }),
})

async function decided(tx: Db, caller: Caller, id: string, outcome: Decided): Promise<PipelineStepExecutionRow> {
  const { organizationId } = caller
  const step = await decidePipelineStepExecution(tx, organizationId, id, outcome)
  if (step) return step
  const other = await findPipelineStepExecution(tx, organizationId, id)
  if (!other) throw notFound(id)
  throw new Refusal('notAwaitingApproval', `The step ${other.stepName} is ${other.status} and waits for no approval.`)
}

const notFound = (id: string) =>
  new Refusal('pipelineStepExecutionNotFound', `There is no step execution ${id} in this organization.`)

/** A decision is told in the detail of the status, as the interface has no field for it. */
const toWire = (row: PipelineStepExecutionRow): PipelineStepExecution =>
  present({
    id: row.id,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    organizationId: row.organizationId,
    pipelineRunId: row.pipelineRunId,
    stepId: row.stepId,
    stepName: row.stepName,
    stepType: row.stepType,
    status: row.status,
    statusDetail: row.decision ? { ...row.statusDetail, decision: row.decision } : (row.statusDetail ?? undefined),
    queueReason: row.queueReason,
    queueMetadata: row.queueMetadata,
    attemptEpoch: row.attemptEpoch,
    retryAttempt: row.retryAttempt,
    isLastRetry: row.isLastRetry,
    engineRunId: row.engineRunId,
    engineWorkflowId: row.engineWorkflowId,
    moduleInstanceId: row.moduleInstanceId ?? undefined,
    inputData: row.inputData ?? undefined,
    outputData: row.outputData ?? undefined,
    startedAt: row.startedAt?.toISOString(),
    completedAt: row.completedAt?.toISOString(),
    error: row.error ?? undefined,
    logs: row.logs ?? undefined,
  })
