import { newId } from '../../platform/ids.ts'
import { needsOf, stepsOf } from '../pipeline-versions/config/steps.ts'
import type { PipelineStepExecutionRow, PipelineVersionRow } from '../pipelines/tables.ts'
import { type Skip, toBeSkipped } from './skip.ts'
import type { NewPipelineRun, NewStepExecution } from './store.ts'

/** The steps of a new run, all queued: ready, or waiting for others. Their ids sort as the config lists them. */
export function plannedSteps(
  {
    id: pipelineRunId,
    organizationId,
    moduleInstanceId,
  }: Pick<NewPipelineRun, 'id' | 'organizationId' | 'moduleInstanceId'>,
  { config }: PipelineVersionRow,
  /** The pool of each step that has one, by the step's id. */
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
      // The engine knows a step by its id.
      engineWorkflowId: id,
    }
  })
}

/** Where a step was carried out that a retry took over. */
type Origin = { pipelineRunId: string; pipelineStepExecutionId: string }

/** The steps of a retry: what it takes over is over, what it skips is marked, and the rest is as `planned`. */
export function retriedSteps(
  planned: readonly NewStepExecution[],
  ended: ReadonlyMap<string, PipelineStepExecutionRow>,
  { taken, skip }: { taken: ReadonlySet<string>; skip?: { steps: readonly string[]; by: Skip } | undefined },
): NewStepExecution[] {
  return planned.map((step) => {
    const before = taken.has(step.stepId) ? ended.get(step.stepId) : undefined
    if (before) return asItEnded(step, before)
    return skip?.steps.includes(step.stepId) ? { ...step, statusDetail: toBeSkipped(skip.by) } : step
  })
}

/** An approval counts where it was asked for; here, only who gave it is told. */
function asItEnded(step: NewStepExecution, before: PipelineStepExecutionRow): NewStepExecution {
  const { status, error, inputData, outputData, statusDetail, decision, moduleInstanceId, logs } = before
  const { queueReason, queueMetadata, attemptEpoch, retryAttempt, isLastRetry, startedAt, completedAt } = before
  return {
    ...step,
    ...{ status, error, inputData, outputData, decision, moduleInstanceId, logs },
    ...{ queueReason, queueMetadata, attemptEpoch, retryAttempt, isLastRetry, startedAt, completedAt },
    executionEnvironmentId: before.executionEnvironmentId,
    statusDetail: { ...statusDetail, takenOver: originOf(before) },
  }
}

/** What was taken over before is told of where it was carried out. */
const originOf = ({ id, pipelineRunId, statusDetail }: PipelineStepExecutionRow): Origin =>
  (statusDetail?.takenOver as Origin | undefined) ?? { pipelineRunId, pipelineStepExecutionId: id }
