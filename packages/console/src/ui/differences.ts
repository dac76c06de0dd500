export type Difference = { path: string; before: unknown; after: unknown }

/** Returns all different leaf values by path. */
export function differencesOf(before: unknown, after: unknown, path = ''): Difference[] {
  if (Object.is(before, after)) return []
  if (!isTree(before) || !isTree(after)) return [{ path, before, after }]
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names.flatMap((name) => differencesOf(before[name], after[name], path === '' ? name : `${path}.${name}`))
}

const isTree = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
