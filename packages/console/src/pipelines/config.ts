import { expandMatrices, type MatrixStep } from '@sluice/contract/pipeline-matrix'

/** Input of a run. */
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

/** Parts of a pipeline's configuration that pages read. The server has validated it. */
export type PipelineConfig = { inputs?: RunInput[]; steps?: StepConfig[] }

/** Returns the steps of a run, with matrices expanded. */
export const expandedSteps = ({ steps = [] }: PipelineConfig): StepConfig[] => expandMatrices(steps)

/** Returns the IDs that each step depends on: by default, the previous step. */
export function stepDependencies(steps: readonly StepConfig[]): Map<string, string[]> {
  return new Map(steps.map(({ id, needs }, index) => [id, needs ?? steps.slice(index - 1, index).map((one) => one.id)]))
}

/**
 * Returns the IDs of all steps that end before a step starts, nearest first, later steps first among equals. The
 * server uses this order to find the plan of an `iac:apply`.
 */
export function stepsBefore(steps: readonly StepConfig[], id: string): string[] {
  const needs = stepDependencies(steps)
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
 * Returns the IDs of the steps whose plans a step applies or asks about, nearest first. An `iac:apply` applies the
 * plan it names, or the nearest one. An `approval` decides about all earlier plans.
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

/**
 * Returns the ID of the step whose deployment a `deploy-swap` continues: the one it names, or the nearest earlier one.
 */
export function swappedStep(steps: readonly StepConfig[], id: string): string | undefined {
  const step = steps.find((one) => one.id === id)
  if (step?.type !== 'deploy-swap') return undefined
  if (typeof step.with?.deploy === 'string') return step.with.deploy
  return stepsBefore(steps, id).find((before) => steps.find((one) => one.id === before)?.type === 'deploy')
}
