import { failures, isRunOver } from '@sluice/contract'
import { runAsAuthor } from '../../../identity/audit-events/author.ts'
import { present } from '../../../platform/present.ts'
import { advanceRun } from '../../pipeline-runs/advance.ts'
import { requestCancel } from '../../pipeline-runs/machine.ts'
import { missingPermission, principalOf } from '../../pipeline-runs/permissions.ts'
import { startRun } from '../../pipeline-runs/start.ts'
import { findPipelineRun } from '../../pipeline-runs/store.ts'
import { toRun } from '../../pipeline-runs/wake.ts'
import { findPipelineNamed } from '../../pipelines/store.ts'
import type { CancelRequest, PipelineRunRow } from '../../pipelines/tables.ts'
import { saveProgress } from '../store.ts'
import { type Attempt, cancelled, failed, rendered, type StepWork, type WorkParts, type WorkResult } from './work.ts'

/** Runs another pipeline. The step ends with the result of that run. */
export const pipeline: StepWork = async (parts, attempt) => {
  const childId = childOf(attempt.step)
  if (childId !== undefined) return follow(parts, attempt, childId)
  return attempt.step.cancelRequestedAt ? cancelled : begin(parts, attempt)
}

function childOf({ progress }: Attempt['step']): string | undefined {
  return typeof progress.pipelineRunId === 'string' ? progress.pipelineRunId : undefined
}

/**
 * Creates the run and stores its id in one transaction, so that neither a crash nor two concurrent calls create a
 * second one. After a broken connection to the engine, a call may overlap with its repetition.
 */
async function begin({ db, clock }: WorkParts, attempt: Attempt): Promise<WorkResult> {
  const { step, run, context } = attempt
  const { given, shown } = rendered('pipeline', attempt)
  const { organizationId, projectId } = context.pipeline
  const named = { id: given.pipeline_id, givenId: given.pipeline }
  const other = await findPipelineNamed(db, { organizationId, projectId }, named)
  if (!other) {
    return failed({
      code: failures.targetMissing.code,
      message: `There is no pipeline ${given.pipeline_id ?? `${given.pipeline} in the project`}.`,
    })
  }
  const act = { permission: 'pipeline-runs:write', scopes: [{ projectId: other.projectId }] } as const
  const beyond = await missingPermission(db, context, attempt.config, act)
  if (beyond) return failed(beyond)
  const started = await db.transaction(async (tx) => {
    const held = await saveProgress(tx, step, { inputData: shown })
    if (!held) return []
    const begun = childOf(held)
    if (begun !== undefined) return [begun]
    const wish = {
      organizationId,
      pipeline: other,
      inputs: given.inputs ?? {},
      trigger: { kind: 'pipeline' as const, ...present({ authors: run.trigger?.authors }) },
      author: runAsAuthor(run),
      triggerSource: 'PIPELINE' as const,
      triggeredBy: run.triggeredBy,
      parentStepExecutionId: step.id,
      actsFor: principalOf(context),
      isAutoApproved: run.isAutoApproved,
    }
    const { id, superseded } = await startRun(tx, wish, clock())
    await saveProgress(tx, step, { progress: { pipelineRunId: id }, statusDetail: { pipelineRunId: id } })
    return [id, ...superseded]
  })
  return { waitingFor: 'the run that it started', messages: started.map((id) => toRun(id)) }
}

async function follow(parts: WorkParts, { step, run }: Attempt, childId: string): Promise<WorkResult> {
  const child = await findPipelineRun(parts.db, step.organizationId, childId)
  if (!child) return failed({ code: failures.targetMissing.code, message: `The run ${childId} is gone.` })
  if (isRunOver(child.status)) return endOf(child, step.cancelRequestedAt !== null)
  if (!step.cancelRequestedAt) return { waitingFor: 'the run that it started' }
  const request = run.cancelRequest ?? timeIsUp(step.cancelRequestedAt)
  const change = (one: PipelineRunRow) => requestCancel(one, request)
  const looked = await advanceRun(parts, childId, step.engineRunId, { change, organizationId: step.organizationId })
  if (looked && isRunOver(looked.run.status)) return endOf(looked.run, true)
  return { waitingFor: 'the run that it started to end', messages: [toRun(childId)] }
}

function endOf({ id, status, error }: PipelineRunRow, isCancelled: boolean): WorkResult {
  if (status === 'SUCCESS') return { outcome: { status: 'SUCCESS', output: { run_id: id, status } } }
  if (isCancelled) return cancelled
  return failed({
    ...(error ?? { code: failures.childRunFailed.code, message: `The run ${id} is ${status}.` }),
    metadata: { ...error?.metadata, pipelineRunId: id, pipelineRunStatus: status },
  })
}

const timeIsUp = (at: Date): CancelRequest => ({
  by: 'Sluice',
  at: at.toISOString(),
  error: { code: failures.stepTimedOut.code, message: 'The step that started the run had no time left.' },
})
