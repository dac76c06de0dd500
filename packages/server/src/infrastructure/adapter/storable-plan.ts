import { messageBounds } from '@sluice/contract/bounded-json'
import { type OmittedValue, toStorableValue } from '@sluice/contract/storable-value'
import type { PlanFile } from './plan-format.ts'
import { notStored } from './sensitive.ts'

/**
 * Returns a plan in which a placeholder replaces what cannot be stored, and names the attributes and outputs that it
 * was replaced in. The plan may be anything that a runner sends.
 */
export function toStorablePlan(given: unknown): { plan: PlanFile; omittedValues: OmittedValue[] } {
  const options = { path: '', placeholder: notStored, maxDepth: messageBounds.maxDepth }
  const { value, omittedValues } = toStorableValue(given, options)
  const plan = value as PlanFile
  const named = new Map(omittedValues.flatMap((omitted) => entriesOf(plan, omitted)))
  return { plan, omittedValues: [...named].map(([path, reason]) => ({ path, reason })) }
}

/** The first name of a JSON path. */
const name = String.raw`(?:\.\w+|\["(?:[^"\\]|\\.)*"\]|\[\d+\])`
const inChange = new RegExp(
  String.raw`^\.(resource_changes|resource_drift)\[(\d+)\]\.change(\.(?:before|after)${name}?)(?!\w)`,
)
const inOutput = new RegExp(String.raw`^\.(output_changes${name})`)

/**
 * Returns how an omission is named: by the attribute of a change, or the output. The rest of a plan repeats their
 * values, and names inside them may be as secret as the values.
 */
function entriesOf(plan: PlanFile, { path, reason }: OmittedValue): [path: string, reason: string][] {
  const [, list, index, attribute] = inChange.exec(path) ?? []
  const changes = list === 'resource_drift' ? plan.resource_drift : plan.resource_changes
  const address = changes?.[Number(index)]?.address
  if (address !== undefined) return [[`${address}${attribute}`, reason]]
  const [, output] = inOutput.exec(path) ?? []
  return output === undefined ? [] : [[output, reason]]
}
