import { expandMatrices } from '@sluice/contract/pipeline-matrix'
import type { PipelineVersionRow } from '../../pipelines/tables.ts'
import type { PipelineConfig, StepConfig, StepType } from './schema.ts'

type Json = Record<string, unknown>

/**
 * The steps of a config that was checked when it was stored, with those that matrices make; configs of the first
 * releases may have none.
 */
export const stepsOf = (config: Json): StepConfig[] => expandMatrices((config as Partial<PipelineConfig>).steps ?? [])

/** The config of a stored version. */
export const configOf = ({ config }: Pick<PipelineVersionRow, 'config'>): PipelineConfig => ({
  ...(config as Partial<PipelineConfig>),
  steps: stepsOf(config),
})

/** What says which steps a step waits for. */
type Needing = { id: string; needs?: string[] }

/** The ids of the steps that a step waits for: the one before it, unless it says otherwise. */
export function needsOf(steps: readonly Needing[], index: number): string[] {
  const before = steps[index - 1]
  return steps[index]?.needs ?? (before ? [before.id] : [])
}

/** The ids of the steps that are over before a step begins, whether it needs them itself or not: the nearest first. */
export function stepsBefore(steps: readonly Needing[], index: number): string[] {
  const places = new Map(steps.map(({ id }, place) => [id, place]))
  const before = new Set<string>()
  let ring = [index]
  while (ring.length > 0) {
    const needed = new Set(ring.flatMap((place) => needsOf(steps, place)))
    const found = [...needed].filter((id) => !before.has(id)).map((id) => places.get(id))
    // Of those that are equally near, the one that stands last comes first.
    ring = found.filter((place) => place !== undefined).sort((a, b) => b - a)
    for (const place of ring) before.add(steps[place]?.id ?? '')
  }
  return [...before]
}

/** Whether a step asks for a decision by its own configuration; rules may ask about others, too. */
export const asksByItself = ({ approval, type }: StepConfig): boolean => approval !== undefined || type === 'approval'

/**
 * The steps that a decision about one lets go on: that one, and those that wait for it up to the next about which
 * somebody decides.
 */
export function letGoBy(steps: readonly StepConfig[], id: string): StepConfig[] {
  const reached = new Set([id])
  // A need may stand behind the step that has it.
  for (let size = 0; size < reached.size; ) {
    size = reached.size
    for (const [index, step] of steps.entries()) {
      if (!asksByItself(step) && needsOf(steps, index).some((need) => reached.has(need))) reached.add(step.id)
    }
  }
  return steps.filter((step) => reached.has(step.id))
}

/** The steps that finish what an earlier step of another type began, and how their `with` names it. */
export const continuations = {
  'iac:apply': { names: 'plan', begunBy: 'iac:plan' },
  'deploy-swap': { names: 'deploy', begunBy: 'deploy' },
} as const satisfies Partial<Record<StepType, { names: string; begunBy: StepType }>>

/**
 * The id of the step whose plan an `iac:apply` applies, and whose deployment a `deploy-swap` swaps: the one that it
 * names, else the nearest before it.
 */
export function begunBy(steps: readonly StepConfig[], { id, type, with: given }: StepConfig): string | undefined {
  if (type !== 'iac:apply' && type !== 'deploy-swap') return undefined
  const { names, begunBy: wanted } = continuations[type]
  const named = given?.[names]
  if (typeof named === 'string') return named
  const types = new Map(steps.map((step) => [step.id, step.type]))
  const index = steps.findIndex((step) => step.id === id)
  return stepsBefore(steps, index).find((before) => types.get(before) === wanted)
}

/**
 * The ids of the steps whose plans a decision about a step is about: of an `iac:apply` the one that it applies, else
 * all before it.
 */
export function plannedFor(steps: readonly StepConfig[], id: string): string[] {
  const index = steps.findIndex((step) => step.id === id)
  const step = steps[index]
  if (!step) return []
  if (step.type === 'iac:apply') return [begunBy(steps, step)].filter((one) => one !== undefined)
  const planning = new Set(steps.filter(({ type }) => type === 'iac:plan').map((one) => one.id))
  return stepsBefore(steps, index).filter((before) => planning.has(before))
}
