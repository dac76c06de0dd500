import type { ModuleVersion } from '@sluice/contract'
import { flat, type InputDefinition, type Values } from './definition.ts'

/** An input on which the options of another one depend. */
export type Dependency = { id: string; label: string }

/** By the path of the input that depends on them, in which `[]` stands for each item. */
export type Dependencies = ReadonlyMap<string, readonly Dependency[]>

/** Returns what a version declares of the inputs of a form: those of the module, or those of a deployment. */
export function dependenciesIn(
  { config, optionSources = [] }: Pick<ModuleVersion, 'config' | 'optionSources'>,
  scope: 'module' | 'deploy' = 'module',
): Dependencies {
  const deploy = (config.deploy ?? {}) as { inputs?: InputDefinition[] }
  const all = flat([...((config.inputs ?? []) as InputDefinition[]), ...(deploy.inputs ?? [])])
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

/** Returns the dependencies of the input at a path that have no value yet: without them, nothing can be offered. */
export const missingFor = (dependencies: Dependencies, path: string, values: Values): Dependency[] =>
  (dependencies.get(path.replaceAll(/\[\d+\]/g, '[]')) ?? []).filter(({ id }) =>
    ['', null, undefined].includes(values[id] as never),
  )
