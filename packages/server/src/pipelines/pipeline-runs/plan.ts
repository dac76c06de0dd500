import { newId } from '../../platform/ids.ts'
import { needsOf, stepsOf } from '../pipeline-versions/config/steps.ts'
import type { PipelineVersionRow } from '../pipelines/tables.ts'
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
