import { expandMatrices } from '@sluice/contract/pipeline-matrix'
import type { PipelineVersionRow } from '../../pipelines/tables.ts'
import type { PipelineConfig, StepConfig, StepType } from './schema.ts'

type Json = Record<string, unknown>

/**
 * Returns the steps of a stored config, including those that matrices create. Configs of the first releases may have
 * none.
 */
export const stepsOf = (config: Json): StepConfig[] => expandMatrices((config as Partial<PipelineConfig>).steps ?? [])

/** Returns the config of a stored version. */
export const configOf = ({ config }: Pick<PipelineVersionRow, 'config'>): PipelineConfig => ({
  ...(config as Partial<PipelineConfig>),
  steps: stepsOf(config),
})

/** Properties that determine which steps a step waits for. */
type Needing = { id: string; needs?: string[] }

/** Returns the ids of the steps that a step waits for: by default, the previous one. */
export function needsOf(steps: readonly Needing[], index: number): string[] {
  const before = steps[index - 1]
  return steps[index]?.needs ?? (before ? [before.id] : [])
}

/** Returns the ids of all steps that have ended before a step starts, needed directly or indirectly, nearest first. */
export function stepsBefore(steps: readonly Needing[], index: number): string[] {
  const places = new Map(steps.map(({ id }, place) => [id, place]))
  const before = new Set<string>()
  let ring = [index]
  while (ring.length > 0) {
    const needed = new Set(ring.flatMap((place) => needsOf(steps, place)))
    const found = [...needed].filter((id) => !before.has(id)).map((id) => places.get(id))
    // Among equally near ones, the last one in the config comes first.
    ring = found.filter((place) => place !== undefined).sort((a, b) => b - a)
    for (const place of ring) before.add(steps[place]?.id ?? '')
  }
  return [...before]
}

/** Reports whether the config of a step requires an approval; rules may require others. */
export const requiresApproval = ({ approval, type }: StepConfig): boolean =>
  approval !== undefined || type === 'approval'

/** Returns the steps that an approval of this step lets continue: itself and its dependents up to the next approval. */
export function stepsReleasedBy(steps: readonly StepConfig[], id: string): StepConfig[] {
  const reached = new Set([id])
  // A step may be listed before those that it needs.
  for (let size = 0; size < reached.size; ) {
    size = reached.size
    for (const [index, step] of steps.entries()) {
      if (!requiresApproval(step) && needsOf(steps, index).some((need) => reached.has(need))) reached.add(step.id)
    }
  }
  return steps.filter((step) => reached.has(step.id))
}

/** Step types that continue a step of another type, and the property of `with` that names it. */
export const continuedStepTypes = {
  'iac:apply': { names: 'plan', begunBy: 'iac:plan' },
  'deploy-swap': { names: 'deploy', begunBy: 'deploy' },
} as const satisfies Partial<Record<StepType, { names: string; begunBy: StepType }>>

/**
 * Returns the id of the step that an `iac:apply` or `deploy-swap` continues: the one that it names, or otherwise the
 * nearest previous one.
 */
export function continuedStep(steps: readonly StepConfig[], { id, type, with: given }: StepConfig): string | undefined {
  if (type !== 'iac:apply' && type !== 'deploy-swap') return undefined
  const { names, begunBy: wanted } = continuedStepTypes[type]
  const named = given?.[names]
  if (typeof named === 'string') return named
  const types = new Map(steps.map((step) => [step.id, step.type]))
  const index = steps.findIndex((step) => step.id === id)
  return stepsBefore(steps, index).find((before) => types.get(before) === wanted)
}

/**
 * Returns the ids of the steps whose plans an approval of this step covers: for an `iac:apply` its own plan, otherwise
 * all previous ones.
 */
export function coveredPlans(steps: readonly StepConfig[], id: string): string[] {
  const index = steps.findIndex((step) => step.id === id)
  const step = steps[index]
  if (!step) return []
  if (step.type === 'iac:apply') return [continuedStep(steps, step)].filter((one) => one !== undefined)
  const planning = new Set(steps.filter(({ type }) => type === 'iac:plan').map((one) => one.id))
  return stepsBefore(steps, index).filter((before) => planning.has(before))
}
