import { type OmittedValue, outputBounds, toStorableOutput, toStorableValue } from '@sluice/contract/storable-value'
import type { State } from '../../stacks/iac-states/state-file.ts'
import type { StackOutputs } from '../../stacks/stacks/outputs.ts'
import { notStored } from '../adapter/sensitive.ts'

/** Half the limits of a step's output, because it also contains a summary of the plan. */
const bounds = { maxValues: outputBounds.maxValues / 2, maxCharacters: outputBounds.maxCharacters / 2 }

/** Returns the outputs of a state that can be stored, and the names of the others. */
export function storableOutputs(state: State | undefined): StackOutputs & { omittedValues: OmittedValue[] } {
  const all = Object.entries(state?.outputs ?? {})
  const those = (isSensitive: boolean) => {
    const outputs = all.filter(([, output]) => output.isSensitive === isSensitive)
    const values = Object.fromEntries(outputs.map(([name, { value }]) => [name, value]))
    return toStorableOutput(values, 'output.outputs', bounds)
  }
  const [open, sensitive] = [those(false), those(true)]
  const omittedValues = [...open.omittedValues, ...sensitive.omittedValues.map(ofOutput)]
  return { open: open.value, sensitive: sensitive.value, omittedValues }
}

/** Identifies an omitted value by its output, because names inside a sensitive output may be secret. */
const ofOutput = ({ path, reason }: OmittedValue): OmittedValue => ({
  path: /^output\.outputs(?:\.\w+|\["(?:[^"\\]|\\.)*"\])/.exec(path)?.[0] ?? 'output.outputs',
  reason,
})

/** Returns a resource's attributes in storable form. */
export const storableAttributes = (attributes: unknown): unknown =>
  toStorableValue(attributes, { placeholder: notStored }).value
