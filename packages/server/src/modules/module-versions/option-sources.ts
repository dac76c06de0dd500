import type { OptionSource } from '@sluice/contract'
import { referencesIn } from '@sluice/expressions'
import { withoutNulls } from './config/absent.ts'
import { inputPositionsIn } from './config/inputs.ts'
import { type InputDefinition, providerPrefix } from './config/schema.ts'
import { scopesOf } from './config.ts'

/** Returns the inputs whose options come from a provider, with the inputs that the provider's templates read. */
export const optionSourcesOf = (config: Record<string, unknown>): OptionSource[] =>
  scopesOf(withoutNulls(config) as object).flatMap(({ name, inputs }) => sourcesIn(inputs, `${name}.input.`))

const sourcesIn = (inputs: readonly InputDefinition[], prefix: string): OptionSource[] =>
  inputPositionsIn(inputs, '').flatMap(({ input: { id, values, item_inputs = [] } }) => [
    ...(typeof values === 'string' ? [sourceOf(`${prefix}${id}`, values)] : []),
    ...sourcesIn(item_inputs, `${prefix}${id}[].`),
  ])

function sourceOf(input: string, values: string): OptionSource {
  const [provider = ''] = values.slice(providerPrefix.length).split('?', 1)
  const read = referencesIn(values).filter(([, part, id]) => part === 'input' && id !== undefined)
  return { input, provider, dependsOn: [...new Set(read.map((names) => names.slice(0, 3).join('.')))] }
}
