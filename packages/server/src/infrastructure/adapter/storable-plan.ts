import { messageBounds } from '@sluice/contract/bounded-json'
import { type OmittedValue, toStorableValue } from '@sluice/contract/storable-value'
import type { PlanFile } from './plan-format.ts'
import { notStored } from './sensitive.ts'

/**
 * Returns a plan in which a placeholder replaces what cannot be stored, and names what was replaced in the changes: the
 * rest of a plan repeats their values. The plan may be anything that a runner sends.
 */
export function toStorablePlan(given: unknown): { plan: PlanFile; omittedValues: OmittedValue[] } {
  const options = { path: '', placeholder: notStored, maxDepth: messageBounds.maxDepth }
  const { value, omittedValues } = toStorableValue(given, options)
  const plan = value as PlanFile
  return { plan, omittedValues: omittedValues.flatMap((omitted) => namedIn(plan, omitted)) }
}

const inChange = /^\.(resource_changes|resource_drift)\[(\d+)\]\.change(.*)$/s

function namedIn(plan: PlanFile, { path, reason }: OmittedValue): OmittedValue[] {
  const [, list, index, rest] = inChange.exec(path) ?? []
  const changes = list === 'resource_drift' ? plan.resource_drift : plan.resource_changes
  const address = changes?.[Number(index)]?.address
  if (address !== undefined) return [{ path: `${address}${rest}`, reason }]
  return path.startsWith('.output_changes.') ? [{ path: path.slice(1), reason }] : []
}
