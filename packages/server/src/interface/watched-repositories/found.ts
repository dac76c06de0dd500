import { removeControlCharacters } from '@sluice/calls/control-characters'
import type { Change } from '../project-files/plan.ts'
import type { FileProblem } from '../source-text/fault.ts'
import { mostLetters } from './problems.ts'
import type { StoredPlanSummary } from './tables.ts'

/** Maximum size in bytes of a plan's stored changes; further ones are omitted. */
const maxStoredBytes = 128 * 1024

function firstOf<T>(parts: readonly T[]): { kept: T[]; isCut: boolean } {
  let weight = 0
  const end = parts.findIndex((part) => {
    weight += JSON.stringify(part).length
    return weight > maxStoredBytes
  })
  return end === -1 ? { kept: [...parts], isCut: false } : { kept: parts.slice(0, end), isCut: true }
}

export function foundChanges(changes: readonly Change[]): StoredPlanSummary {
  const shown = changes.map(({ action, key, differences }) => ({ action, record: key, differences }))
  const { kept, isCut } = firstOf(shown)
  return { changes: kept, faults: [], isCut }
}

export function foundFaults(faults: readonly FileProblem[]): StoredPlanSummary {
  const shown = faults.map(({ message, ...place }) => ({
    ...place,
    message: removeControlCharacters(message).slice(0, mostLetters),
  }))
  const { kept, isCut } = firstOf(shown)
  return { changes: [], faults: kept, isCut }
}

export const foundNothing: StoredPlanSummary = { changes: [], faults: [], isCut: false }
