import { isDeepStrictEqual } from 'node:util'
import { addedByCloud } from '../../cloud/adapter/ecs/task-definitions.ts'

type Json = Record<string, unknown>

/** Members of a task definition that its registration does not set. */
export const itsOwn: ReadonlySet<string> = new Set([...addedByCloud, 'tags'])

/** The parts of a task definition that were asked for: what the cloud fills in says nothing, and goes. */
export function askedFor(definition: Json): Json {
  const asked = Object.fromEntries(Object.entries(definition).filter(([key]) => !itsOwn.has(key)))
  const { containerDefinitions = [], ...rest } = asked as { containerDefinitions?: Json[] }
  return withoutEmpty({
    ...rest,
    containerDefinitions: containerDefinitions.map(({ cpu, ...container }) =>
      cpu ? { cpu, ...container } : container,
    ),
  }) as Json
}

/** Objects and lists that are empty are as good as absent in the cloud's requests. */
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

/** The paths at which what would be registered is other than what runs, in the order of the cloud's names. */
export function differencesBetween(runs: Json, next: Json): string[] {
  const paths = new Set<string>()
  compare(named(askedFor(runs)), named(askedFor(next)), '', paths)
  return [...paths].sort()
}

/** Lists whose order says nothing, by the names of what is in them. */
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
