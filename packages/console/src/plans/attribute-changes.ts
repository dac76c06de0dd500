export type AttributeChange = {
  /** Attribute path in configuration syntax: `tags.team`, `rules[0].port`. */
  path: string
  /** Undefined if the attribute is new. */
  before?: unknown
  /** Undefined if the attribute is removed. */
  after?: unknown
}

/** Returns the changed attributes; for a created or deleted resource, all that have a value. */
export function attributeChanges(before: unknown, after: unknown, path = ''): AttributeChange[] {
  if (Object.is(before, after) || (isNothing(before) && isNothing(after))) return []
  const keys = keysOf(before, after)
  if (keys === undefined) return [{ path, ...(!isNothing(before) && { before }), ...(!isNothing(after) && { after }) }]
  const isList = Array.isArray(before) || Array.isArray(after)
  return keys.flatMap((key) => {
    const step = isList ? `[${key}]` : path === '' ? key : `.${key}`
    return attributeChanges(member(before, key), member(after, key), path + step)
  })
}

/**
 * Returns the keys of both values if they have the same type or one is missing; otherwise they are compared as a
 * whole.
 */
function keysOf(before: unknown, after: unknown): string[] | undefined {
  const trees = [before, after].filter((one) => !isNothing(one))
  if (!trees.every(isTree) || new Set(trees.map(Array.isArray)).size > 1) return undefined
  const keys = [...new Set(trees.flatMap((tree) => Object.keys(tree)))]
  return keys.length === 0 && trees.length === 1 ? undefined : keys
}

const isTree = (value: unknown): value is object => typeof value === 'object' && value !== null
const isNothing = (value: unknown): value is null | undefined => value === null || value === undefined
const member = (tree: unknown, key: string): unknown =>
  isTree(tree) && Object.hasOwn(tree, key) ? (tree as Record<string, unknown>)[key] : undefined
