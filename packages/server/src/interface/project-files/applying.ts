import { type Key, keyFor } from './key.ts'
import type { ApplyContext } from './kind.ts'
import { withIds } from './references.ts'

/** @throws {Error} if nothing has this key: the plan checked that it exists, or is created first. */
export function idOf({ state }: ApplyContext, key: Key): string {
  const id = state.ids.get(key)
  if (id === undefined) throw new Error(`There is no ${key}.`)
  return id
}

export function projectIdOf({ state, project }: ApplyContext): string {
  return state.projectId ?? state.ids.get(keyFor('Project', project)) ?? ''
}

export const environmentIdOf = (context: ApplyContext, name: string): string =>
  idOf(context, keyFor('Environment', name))

/** Returns the project or the environment that a record belongs to. */
export function parentOf(context: ApplyContext, environment: string | undefined) {
  if (environment === undefined) return { parentType: 'project', parentId: projectIdOf(context) } as const
  return { parentType: 'environment', parentId: environmentIdOf(context, environment) } as const
}

/** Returns what a rule applies to: the project, an environment or an instance. */
export function scopeOf({ environment, instance }: { environment?: string; instance?: string }, context: ApplyContext) {
  const scope = {
    projectId: projectIdOf(context),
    ...(environment !== undefined && { environmentId: environmentIdOf(context, environment) }),
  }
  if (instance === undefined) return scope
  return { ...scope, moduleInstanceId: idOf(context, keyFor('ModuleInstance', environment, instance)) }
}

/** Returns a value with ids for what its texts name. */
export const resolved = <T>(context: ApplyContext, value: T): T => withIds(value, (key) => idOf(context, key))

type Titled = { name: string; title?: string | undefined; description?: string | undefined }

export const named = ({ name, title = name, description }: Titled) => ({
  name: title,
  ...(description !== undefined && { description }),
})

/** Returns the display texts that a document gives; those that it leaves out stay as they are. */
export const renamed = ({ title, description }: Titled) => ({
  ...(title !== undefined && { name: title }),
  ...(description !== undefined && { description }),
})

type Access = { restricted?: boolean | undefined; visibility?: 'ORGANIZATION' | 'MEMBERS' | undefined }

export const accessOf = ({ restricted, visibility }: Access) => ({
  ...(restricted !== undefined && { restricted }),
  ...(visibility !== undefined && { visibility }),
})

/** Returns those of the fields that the document has. */
export function pick<T extends object, N extends keyof T>(document: T, names: readonly N[]): Pick<T, N> {
  const given = names.filter((name) => document[name] !== undefined)
  return Object.fromEntries(given.map((name) => [name, document[name]])) as Pick<T, N>
}
