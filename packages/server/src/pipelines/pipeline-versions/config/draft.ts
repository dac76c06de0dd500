import { maxCounts, type StepType, stepTypes } from './schema.ts'

type Json = Record<string, unknown>

/** Parts of a step that have the right type; other parts have been reported already. */
export type DraftStep = {
  /** Path of the step. */
  place: string
  id: string
  type: StepType | undefined
  /** The previous step if absent. */
  needs?: string[]
  with: Json
  /** The complete step as written. */
  written: Json
}

/** Part of a config with its path. */
export type DraftPart = { place: string; written: Json }

/** Parts of a config to validate, even if others have the wrong type; limited to the maximum numbers. */
export type Draft = { place: string; written: Json; inputs: DraftPart[]; triggers: DraftPart[]; steps: DraftStep[] }

export function draftOf(config: Json, place: string): Draft {
  const placed = (name: 'inputs' | 'triggers' | 'steps'): DraftPart[] =>
    listOf(config[name])
      .slice(0, maxCounts[name])
      .map((item, index) => ({ place: `${place}.${name}[${index}]`, written: objectOf(item) }))
  return {
    place,
    written: config,
    inputs: placed('inputs'),
    triggers: placed('triggers'),
    steps: placed('steps').map(({ place, written }) => ({
      place,
      written,
      id: textOf(written.id),
      type: stepTypes.find((type) => type === written.type),
      ...(Array.isArray(written.needs) && { needs: written.needs.map(textOf) }),
      with: objectOf(written.with),
    })),
  }
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

const objectOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}

/** Returns a text, or an empty one for a value of another type, which has been reported already. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
