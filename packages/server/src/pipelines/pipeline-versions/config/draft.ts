import { mostOf, type StepType, stepTypes } from './schema.ts'

type Json = Record<string, unknown>

/** As much of a step as has the right shape: the rest has a fault already. */
export type DraftStep = {
  /** Its path. */
  place: string
  id: string
  type: StepType | undefined
  /** Absent: the step before. */
  needs?: string[]
  with: Json
  /** All of it, as it was written. */
  written: Json
}

/** Something in a config and where it stands. */
export type Placed = { place: string; written: Json }

/** What there is to look at in a config, whether or not all of it has the right shape; no more than is allowed. */
export type Draft = { place: string; written: Json; inputs: Placed[]; triggers: Placed[]; steps: DraftStep[] }

export function draftOf(config: Json, place: string): Draft {
  const placed = (name: 'inputs' | 'triggers' | 'steps'): Placed[] =>
    listOf(config[name])
      .slice(0, mostOf[name])
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

/** What is no text has a fault already; it then is the name of nothing. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
