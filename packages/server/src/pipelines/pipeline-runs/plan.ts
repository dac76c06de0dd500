import { newId } from '../../platform/ids.ts'
import { needsOf, stepsOf } from '../pipeline-versions/config/steps.ts'
import type { PipelineStepExecutionRow, PipelineVersionRow } from '../pipelines/tables.ts'
import { markToSkip, type Skip } from './skip.ts'
import type { NewPipelineRun, NewStepExecution } from './store.ts'

/** Creates the queued steps of a new run. Their ids sort in the order of the config. */
export function plannedSteps(
  {
    id: pipelineRunId,
    organizationId,
    moduleInstanceId,
  }: Pick<NewPipelineRun, 'id' | 'organizationId' | 'moduleInstanceId'>,
  { config }: PipelineVersionRow,
  /** Execution environments by step id. */
  places: ReadonlyMap<string, string>,
): NewStepExecution[] {
  const steps = stepsOf(config)
  const ids = steps.map(() => newId('step')).sort()
  return steps.map((step, index) => {
    const id = ids[index] ?? newId('step')
    const needs = needsOf(steps, index)
    return {
      id,
      organizationId,
      pipelineRunId,
      stepId: step.id,
      stepName: step.name ?? step.id,
      stepType: step.type,
      status: 'QUEUED',
      queueReason: needs.length === 0 ? 'READY' : 'DEPENDENCIES',
      queueMetadata: needs.length === 0 ? {} : { needs },
      position: index,
      moduleInstanceId,
      executionEnvironmentId: places.get(step.id) ?? null,
      isLastRetry: (step.retry?.attempts ?? 1) === 1,
      // The engine identifies a step by its id.
      engineWorkflowId: id,
    }
  })
}

/** Original execution of a step that a retry reuses. */
type Origin = { pipelineRunId: string; pipelineStepExecutionId: string }

/** Creates the steps of a retry: ended ones that it takes over, marked ones to skip, and others as in `planned`. */
export function retriedSteps(
  planned: readonly NewStepExecution[],
  ended: ReadonlyMap<string, PipelineStepExecutionRow>,
  { taken, skip }: { taken: ReadonlySet<string>; skip?: { steps: readonly string[]; by: Skip } | undefined },
): NewStepExecution[] {
  return planned.map((step) => {
    const before = taken.has(step.stepId) ? ended.get(step.stepId) : undefined
    if (before) return withResultOf(step, before)
    return skip?.steps.includes(step.stepId) ? { ...step, statusDetail: markToSkip(skip.by) } : step
  })
}

/** Copies the result of a step. An approval is valid only in the original run; here it is only informational. */
function withResultOf(step: NewStepExecution, before: PipelineStepExecutionRow): NewStepExecution {
  const { status, error, inputData, outputData, statusDetail, decision, moduleInstanceId, logs } = before
  const { queueReason, queueMetadata, attemptEpoch, retryAttempt, isLastRetry, startedAt, completedAt } = before
  return {
    ...step,
    status,
    error,
    inputData,
    outputData,
    decision,
    moduleInstanceId,
    logs,
    queueReason,
    queueMetadata,
    attemptEpoch,
    retryAttempt,
    isLastRetry,
    startedAt,
    completedAt,
    executionEnvironmentId: before.executionEnvironmentId,
    statusDetail: { ...statusDetail, takenOver: originOf(before) },
  }
}

/** Returns the original execution, even if the step was taken over repeatedly. */
const originOf = ({ id, pipelineRunId, statusDetail }: PipelineStepExecutionRow): Origin =>
  (statusDetail?.takenOver as Origin | undefined) ?? { pipelineRunId, pipelineStepExecutionId: id }
