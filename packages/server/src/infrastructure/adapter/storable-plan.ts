import { messageBounds } from '@sluice/contract/bounded-json'
import { type OmittedValue, toStorableValue } from '@sluice/contract/storable-value'
import type { PlanFile } from './plan-format.ts'
import { notStored } from './sensitive.ts'

/**
 * Replaces values that cannot be stored with a placeholder and lists their attributes and outputs. The input comes from
 * a runner and may be anything.
 */
export function toStorablePlan(given: unknown): { plan: PlanFile; omittedValues: OmittedValue[] } {
  const options = { path: '', placeholder: notStored, maxDepth: messageBounds.maxDepth }
  const { value, omittedValues } = toStorableValue(given, options)
  const plan = value as PlanFile
  const named = new Map(omittedValues.flatMap((omitted) => entriesOf(plan, omitted)))
  return { plan, omittedValues: [...named].map(([path, reason]) => ({ path, reason })) }
}

/** Pattern of a name in a JSON path. */
const name = String.raw`(?:\.\w+|\["(?:[^"\\]|\\.)*"\]|\[\d+\])`
const inChange = new RegExp(
  String.raw`^\.(resource_changes|resource_drift)\[(\d+)\]\.change(\.(?:before|after)${name}?)(?!\w)`,
)
const inOutput = new RegExp(String.raw`^\.(output_changes${name})`)

/**
 * Identifies an omitted value by the attribute or output that contains it. The rest of a plan repeats these values, and
 * names inside them may be secret.
 */
function entriesOf(plan: PlanFile, { path, reason }: OmittedValue): [path: string, reason: string][] {
  const [, list, index, attribute] = inChange.exec(path) ?? []
  const changes = list === 'resource_drift' ? plan.resource_drift : plan.resource_changes
  const address = changes?.[Number(index)]?.address
  if (address !== undefined) return [[`${address}${attribute}`, reason]]
  const [, output] = inOutput.exec(path) ?? []
  return output === undefined ? [] : [[output, reason]]
}
