import { expandMatrices, type MatrixStep } from '@sluice/contract/pipeline-matrix'

/** What a run is given. */
export type RunInput = {
  id: string
  type: 'string' | 'number' | 'boolean' | 'string_array' | 'array' | 'object' | 'json'
  label?: string
  description?: string
  required?: boolean
  default?: unknown
  values?: unknown[]
}

export type StepConfig = MatrixStep & {
  type: string
  with?: Record<string, unknown>
}

/** What pages read of a pipeline's configuration. The service has checked all of it. */
export type PipelineConfig = { inputs?: RunInput[]; steps?: StepConfig[] }

/** The steps of a run, with those that matrices make. */
export const stepsOf = ({ steps = [] }: PipelineConfig): StepConfig[] => expandMatrices(steps)

/** The ids of the steps that each step waits for: the one before it, unless it says otherwise. */
export function needsOf(steps: readonly StepConfig[]): Map<string, string[]> {
  return new Map(steps.map(({ id, needs }, index) => [id, needs ?? steps.slice(index - 1, index).map((one) => one.id)]))
}

/**
 * The ids of the steps that are over before a step begins, whether it needs them itself or not: the nearest first, and
 * of those that are equally near the last first. In this order the service looks for what an `iac:apply` applies.
 */
export function stepsBefore(steps: readonly StepConfig[], id: string): string[] {
  const needs = needsOf(steps)
  const placeOf = (step: string) => steps.findIndex((one) => one.id === step)
  const before = new Set<string>()
  for (let ring = needs.get(id) ?? []; ring.length > 0; ) {
    const near = [...new Set(ring)].filter((step) => !before.has(step)).sort((a, b) => placeOf(b) - placeOf(a))
    for (const step of near) before.add(step)
    ring = near.flatMap((step) => needs.get(step) ?? [])
  }
  return [...before]
}

/**
 * The ids of the steps whose plans a step is about, the nearest first: an `iac:apply` applies the one that it names,
 * else the nearest; whoever decides about an `approval` decides about all that was planned before it.
 */
export function planningSteps(steps: readonly StepConfig[], id: string): string[] {
  const step = steps.find((one) => one.id === id)
  if (step?.type !== 'iac:apply' && step?.type !== 'approval') return []
  const planning = stepsBefore(steps, id).filter(
    (before) => steps.find((one) => one.id === before)?.type === 'iac:plan',
  )
  if (step.type === 'approval') return planning
  return typeof step.with?.plan === 'string' ? [step.with.plan] : planning.slice(0, 1)
}

/** The id of the step whose deployment a `deploy-swap` goes on with: the one that it names, else the nearest before. */
export function swappedStep(steps: readonly StepConfig[], id: string): string | undefined {
  const step = steps.find((one) => one.id === id)
  if (step?.type !== 'deploy-swap') return undefined
  if (typeof step.with?.deploy === 'string') return step.with.deploy
  return stepsBefore(steps, id).find((before) => steps.find((one) => one.id === before)?.type === 'deploy')
}
