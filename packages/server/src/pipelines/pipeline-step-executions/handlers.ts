import { isStepOver } from '@sluice/contract'
import type { WorkOn } from '../../platform/db/ownership.ts'
import { createRecordObject, type RecordMessage } from '../../platform/engine/keyed-by-record.ts'
import type { Message } from '../../platform/engine/messages.ts'
import { loadRunContext } from '../pipeline-runs/context.ts'
import { isDispatched, isForWorkers } from '../pipeline-runs/machine.ts'
import { settleAttempt } from '../pipeline-runs/settle.ts'
import { findPipelineRun } from '../pipeline-runs/store.ts'
import { stepService, toRun, toStep, type WakeUp } from '../pipeline-runs/wake.ts'
import type { PipelineStepExecutionRow } from '../pipelines/tables.ts'
import { beginAttempt, loadStepForWork, saveProgress } from './store.ts'
import { deploy, deploySwap } from './work/deploy.ts'
import { http } from './work/http.ts'
import { pipeline } from './work/pipeline.ts'
import { rehearse } from './work/rehearse.ts'
import { type StepWork, type WorkParts, type WorkResult, withUserErrors } from './work/work.ts'

const works: Record<string, StepWork> = { deploy, 'deploy-swap': deploySwap, http, pipeline, rehearse }

/** Engine object keyed by step execution id. Executes steps that are short tasks, as far as possible in each call. */
export const stepObject = (workOn: WorkOn<WorkParts>) =>
  createRecordObject<WorkParts, WakeUp>({
    service: stepService,
    handler: 'advance',
    journaledAs: 'advance',
    workOn,
    step: advance,
  })

/** Interval in milliseconds at which a waiting step checks its condition, in case the notification was lost. */
const checkIntervalMs = 30_000

async function advance(parts: WorkParts, { id, engineRunId, payload }: RecordMessage<WakeUp>): Promise<Message[]> {
  const { seq } = payload
  const step = await loadStepForWork(parts.db, id)
  if (!step || isStepOver(step.status)) return []
  if (seq !== undefined && seq !== step.wakeSeq) return [] // timer from before the last write
  const isMine = isForWorkers(step.stepType) && (step.status === 'IN_PROGRESS' || isDispatched(step))
  if (!isMine) return [toRun(step.pipelineRunId)] // the run decides what happens next
  const now = parts.clock()
  const wakeAt = new Date(now.getTime() + checkIntervalMs)
  const begun = step.status === 'IN_PROGRESS' ? step : await beginAttempt(parts.db, step, { engineRunId, now, wakeAt })
  return begun ? continueStep(parts, begun) : []
}

async function continueStep(parts: WorkParts, step: PipelineStepExecutionRow): Promise<Message[]> {
  const looked = await withUserErrors(() => look(parts, step))
  const { messages = [] } = looked
  if ('outcome' in looked) {
    const settled = await settleAttempt(parts, step, looked.outcome)
    if (settled?.isReady) parts.onReady()
    return [...messages, ...(settled?.messages ?? [])]
  }
  const { waitingFor, statusDetail } = looked
  const wakeAt = new Date(parts.clock().getTime() + checkIntervalMs)
  const noted = await saveProgress(parts.db, step, { wakeAt, waitingFor, ...(statusDetail && { statusDetail }) })
  return noted ? [...messages, wakeUpOf(noted)] : messages
}

async function look(parts: WorkParts, step: PipelineStepExecutionRow): Promise<WorkResult> {
  const run = await findPipelineRun(parts.db, step.organizationId, step.pipelineRunId)
  if (!run) throw new Error(`the run of the step ${step.id} is gone`)
  const context = await loadRunContext(parts.db, parts.seal, run)
  const config = context.config.steps.find(({ id }) => id === step.stepId)
  const work = works[step.stepType]
  if (!config || !work) throw new Error(`the step ${step.id} of the type ${step.stepType} cannot be run by a worker`)
  return work(parts, { step, run, config, context })
}

const wakeUpOf = ({ id, wakeSeq }: PipelineStepExecutionRow): Message => toStep(id, { seq: wakeSeq }, checkIntervalMs)
