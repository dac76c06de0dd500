import { allPages } from '@sluice/calls/all-pages'
import type { ProjectDocument, ProjectDocumentKind } from '@sluice/contract'
import { type Key, keyFor } from './key.ts'
import type { ProjectRecord, Reader } from './kind.ts'

/** Returns all records of a list, oldest first. */
export const all = async <T>(list: Parameters<typeof allPages<T>>[0]): Promise<T[]> => (await allPages(list)).reverse()

/** Adds a record that the documents of the project may be about. */
export function addRecord(
  { state, keyOf }: Reader,
  id: string,
  document: ProjectDocument,
  more: Partial<ProjectRecord> = {},
): void {
  const key = keyOf(document)
  if (state.records.has(key)) state.ambiguous.add(key)
  state.records.set(key, { id, document, ...more })
  state.ids.set(key, id)
}

/** Adds a name that free texts may use. */
export function addName({ state, keys }: Reader, id: string, key: Key): void {
  state.ids.set(key, id)
  keys.set(id, key)
}

export const reads = ({ kinds }: Reader, ...some: ProjectDocumentKind[]): boolean =>
  some.some((kind) => kinds.has(kind))

/** Returns the name of a record of this kind, or undefined if it is not known. */
export function nameOf(
  { keys }: Reader,
  kind: 'CloudAccount' | 'ExecutionEnvironment' | 'Pipeline',
  id: string | undefined,
) {
  const prefix = keyFor(kind, '')
  return keys.get(id ?? '')?.slice(prefix.length + 1)
}

type Texts = { name: string; description?: string | undefined }

export const titled = ({ name, description }: Texts) => ({
  title: name,
  ...(description !== undefined && { description }),
})

/** Whether a record is in the project, or in an environment that files may be about. */
export const isInProject =
  ({ environments }: Reader) =>
  ({ environmentId }: { environmentId?: string }): boolean =>
    environmentId === undefined || environments.has(environmentId)

/** Returns the names of the environment and the instance that a rule applies to. */
export function scopeIn(
  { keys, environments }: Reader,
  { environmentId = '', moduleInstanceId = '' }: { environmentId?: string; moduleInstanceId?: string },
): { environment?: string; instance?: string } {
  const environment = environments.get(environmentId)
  const instance = keys.get(moduleInstanceId)?.split('/').at(-1)
  return { ...(environment !== undefined && { environment }), ...(instance !== undefined && { instance }) }
}

/** Returns the names of teams, or the addresses of members, by id. */
export function principalNames({ state }: Reader, type: 'TEAM' | 'MEMBERSHIP'): ReadonlyMap<string, string> {
  const found = [...state.ids].filter(([key]) => key.startsWith(`${type} `))
  return new Map(found.map(([key, id]) => [id, key.slice(type.length + 1)]))
}

/**
 * Converts ids to names. The id of a deleted record is kept, although files cannot refer to it: without it, a rule for
 * one team would become a rule for everyone.
 */
export const namesOf = (ids: readonly string[], names: ReadonlyMap<string, string>): string[] =>
  ids.map((id) => names.get(id) ?? id)
