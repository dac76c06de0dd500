import { isRunOver } from '@sluice/contract'
import { type Author, runAsAuthor, serviceAuthor } from '../../identity/audit-events/author.ts'
import type { Change } from '../../identity/audit-events/record.ts'
import { present } from '../../platform/present.ts'
import type { PipelineRunRow, PipelineStepExecutionRow } from '../pipelines/tables.ts'

type State = { run: PipelineRunRow; steps: PipelineStepExecutionRow[] }
type Own = { author: Author; change: Change }

/**
 * Returns the decisions that a pass made without a user: approvals that were given with the start, expired approvals,
 * and the end of the run.
 */
export function ownDecisions(before: State, after: State): Own[] {
  const decided = after.steps.flatMap((step) => {
    const old = before.steps.find(({ id }) => id === step.id)
    return old && step !== old ? approvalTaken(after.run, old, step) : []
  })
  return [...decided, ...endOf(before.run, after.run)]
}

function approvalTaken(run: PipelineRunRow, before: PipelineStepExecutionRow, step: PipelineStepExecutionRow): Own[] {
  const base = { resourceType: 'pipeline-step-execution', resourceId: step.id }
  if (step.decision && !before.decision) {
    const isGivenWithStart = before.status !== 'PENDING_APPROVAL'
    const author = isGivenWithStart ? runAsAuthor(run) : serviceAuthor(run.organizationId)
    const details = present({ comment: step.decision.comment })
    return [{ author, change: { ...base, action: 'pipeline-step-executions.approve', details } }]
  }
  if (before.status !== 'PENDING_APPROVAL' || step.status !== 'ERROR') return []
  const details = present({ reason: step.error?.message })
  return [
    {
      author: serviceAuthor(run.organizationId),
      change: { ...base, action: 'pipeline-step-executions.reject', details },
    },
  ]
}

function endOf(before: PipelineRunRow, { id, organizationId, status, error }: PipelineRunRow): Own[] {
  if (!isRunOver(status) || isRunOver(before.status)) return []
  const details = present({ status, reason: error?.message })
  const change = { action: 'pipeline-runs.end', resourceType: 'pipeline-run', resourceId: id, details }
  return [{ author: serviceAuthor(organizationId), change: { ...change, before: { status: before.status } } }]
}
