import { isDeepStrictEqual } from 'node:util'
import { addedByCloud } from '../../cloud/adapter/ecs/task-definitions.ts'

type Json = Record<string, unknown>

/** Properties of a task definition that a registration does not set. */
export const unregisteredProperties: ReadonlySet<string> = new Set([...addedByCloud, 'tags'])

/** Returns the parts of a task definition that were set, without the cloud's default values. */
export function withoutCloudDefaults(definition: Json): Json {
  const asked = Object.fromEntries(Object.entries(definition).filter(([key]) => !unregisteredProperties.has(key)))
  const { containerDefinitions = [], ...rest } = asked as { containerDefinitions?: Json[] }
  return withoutEmpty({
    ...rest,
    containerDefinitions: containerDefinitions.map(({ cpu, ...container }) =>
      cpu ? { cpu, ...container } : container,
    ),
  }) as Json
}

/** Removes empty objects and lists, which mean the same as absent ones in the cloud's requests. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, inner]) => [key, withoutEmpty(inner)] as const)
      .filter(([, inner]) => !isEmpty(inner)),
  )
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0)

/**
 * Returns the paths at which the next registration differs from the running task definition, in the order of the
 * cloud's names.
 */
export function differencesBetween(runs: Json, next: Json): string[] {
  const paths = new Set<string>()
  compare(named(withoutCloudDefaults(runs)), named(withoutCloudDefaults(next)), '', paths)
  return [...paths].sort()
}

/** Converts unordered lists to objects by the names of their items. */
function named(value: unknown): unknown {
  if (Array.isArray(value)) {
    const names = value.map((item) => Reflect.get(Object(item), 'name'))
    const areNamed = names.length > 0 && names.every((name) => typeof name === 'string')
    if (!areNamed) return value.map(named)
    return Object.fromEntries(value.map((item, index) => [`[${names[index]}]`, named(item)]))
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, named(inner)]))
}

function compare(one: unknown, other: unknown, path: string, paths: Set<string>): void {
  if (isObject(one) && isObject(other)) {
    for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
      compare(one[key], other[key], key.startsWith('[') || path === '' ? `${path}${key}` : `${path}.${key}`, paths)
    }
    return
  }
  if (!isDeepStrictEqual(one, other)) paths.add(path)
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
