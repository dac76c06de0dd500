import { compare } from 'semver'

type Published = { id: string; version: string }

/**
 * Returns the highest version by semantic versioning. Of two that differ only in build metadata, which has no
 * precedence, the later one wins.
 */
export function latestOf<V extends Published>(versions: readonly V[]): V | undefined {
  return versions.toSorted((a, b) => compare(b.version, a.version) || (a.id < b.id ? 1 : -1)).at(0)
}
