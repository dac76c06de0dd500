import { type OmittedValue, outputBounds, toStorableOutput, toStorableValue } from '@sluice/contract/storable-value'
import type { State } from '../../stacks/iac-states/state-file.ts'
import type { StackOutputs } from '../../stacks/stacks/outputs.ts'
import { notStored } from '../adapter/sensitive.ts'

/** The output of the step has a summary of the plan beside them. */
const bounds = { maxValues: outputBounds.maxValues / 2, maxCharacters: outputBounds.maxCharacters / 2 }

/** Returns the outputs of a state that can be stored, and names the others. */
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

/** The names inside a sensitive output are as secret as its values. */
const ofOutput = ({ path, reason }: OmittedValue): OmittedValue => ({
  path: /^output\.outputs(?:\.\w+|\["(?:[^"\\]|\\.)*"\])/.exec(path)?.[0] ?? 'output.outputs',
  reason,
})

/** Returns the attributes of a resource of a state as they are stored. */
export const storableAttributes = (attributes: unknown): unknown =>
  toStorableValue(attributes, { placeholder: notStored }).value
