import type { ModuleVersion } from '@sluice/contract'
import { flattenInputs, type InputDefinition, type Values } from './definition.ts'

/** Input that the options of another input depend on. */
export type Dependency = { id: string; label: string }

/** Dependencies by input path, where `[]` stands for each item. */
export type Dependencies = ReadonlyMap<string, readonly Dependency[]>

/** Returns the dependencies of the module's or a deployment's inputs, as a version declares them. */
export function dependenciesIn(
  { config, optionSources = [] }: Pick<ModuleVersion, 'config' | 'optionSources'>,
  scope: 'module' | 'deploy' = 'module',
): Dependencies {
  const deploy = (config.deploy ?? {}) as { inputs?: InputDefinition[] }
  const all = flattenInputs([...((config.inputs ?? []) as InputDefinition[]), ...(deploy.inputs ?? [])])
  const labels = new Map(all.map(({ id, label }) => [id, label]))
  const own = optionSources.filter(({ input }) => input.startsWith(`${scope}.input.`))
  return new Map(
    own.map(({ input, dependsOn }) => [
      idIn(input),
      dependsOn.map(idIn).map((id) => ({ id, label: labels.get(id) ?? id })),
    ]),
  )
}

const idIn = (name: string): string => name.replace(/^\w+\.input\./, '')

/** Returns the dependencies of an input that have no value yet. Without them, there are no options. */
export const missingFor = (dependencies: Dependencies, path: string, values: Values): Dependency[] =>
  (dependencies.get(path.replaceAll(/\[\d+\]/g, '[]')) ?? []).filter(({ id }) =>
    ['', null, undefined].includes(values[id] as never),
  )
