import { type ApprovalSubject, type PipelineStepExecution, routes } from '@sluice/contract'
import { authorOf, type CallerRequest } from '../../identity/audit-events/author.ts'
import { decisionsAbout } from '../../identity/audit-events/decisions.ts'
import { recordChange } from '../../identity/audit-events/record.ts'
import type { Caller } from '../../platform/auth/caller.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle, handleList } from '../../platform/http/handle.ts'
import { includedIn } from '../../platform/http/include.ts'
import { listed } from '../../platform/http/listed.ts'
import { missing } from '../../platform/http/references.ts'
import { present } from '../../platform/present.ts'
import { rejectPlans } from '../iac-plans/store.ts'
import { approveStep, canDecide, isApprovalExpired, rejectStep } from '../pipeline-runs/gates/approval.ts'
import { messagesOf } from '../pipeline-runs/recipients.ts'
import type { PipelineStepExecutionRow, StepDecision } from '../pipelines/tables.ts'
import { approve, requireEligibleApprover, withdraw } from '../step-approvals/decide.ts'
import { approvalOfStep } from '../step-approvals/included.ts'
import { findPipelineStepExecution, listPipelineStepExecutions, lockStep, saveStep } from './store.ts'

const resourceType = 'pipeline-step-execution'

/** Finds the subject of an approval: the plans and scopes that it concerns. Provided by a higher layer. */
export type FindApprovalSubject = (db: Db, caller: Caller, id: string) => Promise<ApprovalSubject | undefined>

type Parts = {
  findApprovalSubject: FindApprovalSubject
  clock: () => Date
}

export function servePipelineStepExecutions(app: App, { findApprovalSubject, clock }: Parts): void {
  const tellRun = ({ pipelineRunId }: PipelineStepExecutionRow) =>
    app.sendMessages(messagesOf({ runs: [pipelineRunId] }))

  handleList(app, routes.listPipelineStepExecutions, listPipelineStepExecutions, serialize)

  handle(app, routes.getPipelineStepExecution, async ({ params, query, caller, db }) => {
    const { organizationId } = caller
    const step = await findPipelineStepExecution(db, organizationId, params.id)
    if (!step) throw notFound(params.id)
    const included = await includedIn(query, {
      decisions: () => decisionsAbout(db, organizationId, step.id),
      subject: async () => {
        const subject = await findApprovalSubject(db, caller, step.id)
        if (!subject) throw notFound(step.id)
        return subject
      },
      approval: () => approvalOfStep(db, caller, step, clock()),
    })
    return { data: serialize(step), ...included }
  })

  handle(app, routes.approvePipelineStepExecution, ({ params, body, caller, db, request, afterwards }) =>
    db.transaction(async (tx) => {
      const now = clock()
      const decision = decisionOf({ caller, request }, true, now, body.data?.comment)
      const { step: waiting, isRuled } = await stepToDecide(tx, caller, params.id, { ...body.data, now })
      const { step, onBehalfOf } = isRuled
        ? await approve(tx, caller, waiting, decision)
        : { step: approveStep(waiting, decision), onBehalfOf: null }
      const change = { action: 'pipeline-step-executions.approve', resourceType, resourceId: step.id }
      const details = present({ comment: body.data?.comment, onBehalfOf: onBehalfOf ?? undefined })
      await recordChange(tx, { caller, request }, { ...change, details })
      afterwards(() => tellRun(step))
      return { data: serialize(await saveStep(tx, step, waiting)) }
    }),
  )

  handle(app, routes.rejectPipelineStepExecution, ({ params, body, caller, db, request, afterwards }) =>
    db.transaction(async (tx) => {
      const now = clock()
      const decision = decisionOf({ caller, request }, false, now, body.data?.comment)
      const { step: waiting, isRuled } = await stepToDecide(tx, caller, params.id, { ...body.data, now })
      const counted = isRuled ? await requireEligibleApprover(tx, caller, waiting, now) : undefined
      const forOthers = present({ onBehalfOf: counted?.onBehalfOf ?? undefined })
      const step = rejectStep(waiting, { ...decision, ...forOthers }, now)
      const change = { action: 'pipeline-step-executions.reject', resourceType, resourceId: step.id }
      await recordChange(
        tx,
        { caller, request },
        { ...change, details: { ...present({ comment: body.data?.comment }), ...forOthers } },
      )
      await rejectPlans(tx, step.organizationId, step.pipelineRunId)
      afterwards(() => tellRun(step))
      return { data: serialize(await saveStep(tx, step, waiting)) }
    }),
  )

  handle(app, routes.withdrawPipelineStepApproval, ({ params, caller, db, request }) =>
    db.transaction(async (tx) => {
      const now = clock()
      const waiting = await stepThatWaits(tx, caller, params.id, now)
      const { step, removed } = await withdraw(tx, caller, waiting.step, now)
      const before = present({ comment: removed.comment ?? undefined, approvedAt: removed.createdAt.toISOString() })
      const change = { action: 'pipeline-step-executions.withdraw', resourceType, resourceId: step.id, before }
      await recordChange(tx, { caller, request }, change)
      return { data: serialize(await saveStep(tx, step, waiting.step)) }
    }),
  )
}

function decisionOf(asking: CallerRequest, isApproved: boolean, at: Date, comment?: string): StepDecision {
  const { actorName, actorType, actorId, channel } = authorOf(asking)
  return present({ approved: isApproved, by: actorName, at: at.toISOString(), comment, actorType, actorId, channel })
}

type ToDecide = { step: PipelineStepExecutionRow; isRuled: boolean }

/** Loads a step that waits for approval and locks it until the end of the transaction. */
async function stepThatWaits(tx: Db, caller: Caller, id: string, now: Date): Promise<ToDecide> {
  const found = await lockStep(tx, caller.organizationId, id)
  if (!found) throw notFound(id)
  const { step } = found
  if (step.status !== 'PENDING_APPROVAL' || isApprovalExpired(step, now)) {
    const state = step.status === 'PENDING_APPROVAL' ? `expired at ${step.approval?.expiresAt}` : step.status
    throw new ApiError('notAwaitingApproval', `The step ${step.stepName} is ${state} and is not waiting for approval.`)
  }
  // For a caller with hidden scopes, rules must always be evaluated.
  return { step, isRuled: found.isRuled || caller.access.hidden.size > 0 }
}

/** Time of the approval request that the caller has seen, if given. */
type Asked = { requestedAt?: string; now: Date }

/** Loads a step as `stepThatWaits` does, and requires the caller to be one of its approvers. */
async function stepToDecide(tx: Db, caller: Caller, id: string, { requestedAt, now }: Asked): Promise<ToDecide> {
  const found = await stepThatWaits(tx, caller, id, now)
  const { step } = found
  const askedAt = step.approval?.requestedAt
  if (requestedAt !== undefined && Date.parse(requestedAt) !== Date.parse(askedAt ?? ''))
    throw new ApiError(
      'askedAnew',
      `The step ${step.stepName} was requested again at ${askedAt}. Fetch it again before you decide.`,
    )
  const approvers = step.approval?.approvers
  if (approvers && !canDecide(caller, approvers)) {
    const who = approvers.join(', ')
    throw new ApiError('notApprover', `You cannot approve or reject the step ${step.stepName}. Approvers: ${who}.`, {
      details: listed('Approvers', approvers),
    })
  }
  return found
}

const notFound = (id: string) => missing('pipelineStepExecutionNotFound', 'step execution', id)

/** Adds the decision to the status detail, because the interface has no field for it. */
const serialize = (row: PipelineStepExecutionRow): PipelineStepExecution =>
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
