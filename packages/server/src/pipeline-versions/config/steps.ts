import type { PipelineVersionRow } from '../../pipelines/tables.ts'
import type { PipelineConfig, StepConfig } from './schema.ts'

type Json = Record<string, unknown>

/** The steps of a config that was checked when it was stored; those of the first releases may have none. */
export const stepsOf = (config: Json): StepConfig[] => (config as Partial<PipelineConfig>).steps ?? []

/** The config of a stored version. */
export const configOf = ({ config }: Pick<PipelineVersionRow, 'config'>): PipelineConfig => ({
  ...(config as Partial<PipelineConfig>),
  steps: stepsOf(config),
})

/** The ids of the steps that a step waits for: the one before it, unless it says otherwise. */
export function needsOf(steps: readonly Pick<StepConfig, 'id' | 'needs'>[], index: number): string[] {
  const before = steps[index - 1]
  return steps[index]?.needs ?? (before ? [before.id] : [])
}
