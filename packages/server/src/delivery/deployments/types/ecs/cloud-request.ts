import { freeMaps } from '@sluice/contract'

/** Names of the cloud that differ from the camel case of the snake case name. */
const spellings: Record<string, string> = { size_in_gib: 'sizeInGiB' }

/**
 * Converts what a module author writes, such as a `task_definition`, to the cloud's request: camel case at every level,
 * without nulls. Names that are in camel case already stay the same.
 */
export function cloudRequest(block: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(block)
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([key, value]) => [camelCase(key), freeMaps.has(key) ? value : inside(value)]),
  )
}

function inside(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => item !== null).map(inside)
  return typeof value === 'object' && value !== null ? cloudRequest(value) : value
}

const camelCase = (key: string): string =>
  spellings[key] ?? key.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
