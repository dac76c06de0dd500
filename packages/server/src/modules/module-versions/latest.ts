import { compare } from 'semver'

type Published = { id: string; version: string }

/**
 * The version that a definition is known by: the highest by semantic versioning. Of two that differ in their build part
 * only, which has no precedence, the later one (ids sort by time).
 */
export function latestOf<V extends Published>(versions: readonly V[]): V | undefined {
  return versions.toSorted((a, b) => compare(b.version, a.version) || (a.id < b.id ? 1 : -1)).at(0)
}
