import { isAlias, isMap, isScalar, isSeq, type Pair, type Scalar } from 'yaml'

/** Offsets of a member's name, if it has one, and of its value. */
export type SourcePosition = { name: number; value: number; scalar?: Scalar }

/** Resolves an alias; returns other nodes unchanged. */
export type Resolve = (node: unknown) => unknown

/** Returns the position for a path, or of the nearest existing ancestor. Text after the path is ignored. */
export function sourcePositionOf(root: unknown, path: string, resolve: Resolve): SourcePosition {
  let node = root
  let place: SourcePosition = { name: beginOf(root), value: beginOf(root) }
  let left = path
  for (let step = firstStep(left); step; step = firstStep(left)) {
    const child = childOf(resolve(node), step.name, resolve)
    if (!child) return place
    node = child.node
    place = child.place
    left = left.slice(step.length)
  }
  const scalar = resolve(node)
  return isScalar(scalar) ? { ...place, scalar } : place
}

/** Parses the first step of a path such as `.steps[1].with["a b"]`. */
function firstStep(path: string): { name: string; length: number } | undefined {
  const found = /^(?:\.([^.:[\]\s]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\])/.exec(path)
  if (!found) return undefined
  const [all, plain, index, quoted = '""'] = found
  return { name: plain ?? index ?? JSON.parse(quoted), length: all.length }
}

/**
 * Returns an item of a list, or a member of an object. A value of several lines is reported at the position of its
 * name.
 */
function childOf(node: unknown, name: string, resolve: Resolve): { node: unknown; place: SourcePosition } | undefined {
  if (isSeq(node)) {
    const item = node.items[Number(name)]
    return item === undefined ? undefined : { node: item, place: { name: beginOf(item), value: beginOf(item) } }
  }
  const pair = pairOf(node, name, resolve)
  if (!pair) return undefined
  const { key, value } = pair
  const isShort = isAlias(value) || (isScalar(value) && value.source !== '')
  return { node: value, place: { name: beginOf(key), value: beginOf(isShort ? value : key) } }
}

/** Returns the member of a mapping with this name: its own, or otherwise that of the first merged mapping with one. */
export function pairOf(node: unknown, name: string, resolve: Resolve, seen = new Set<unknown>()): Pair | undefined {
  if (!isMap(node) || seen.has(node)) return undefined
  seen.add(node) // merges can be circular
  const own = node.items.find(({ key }) => !isMergeKey(key) && nameOf(key) === name)
  if (own) return own
  const merged = node.items.filter(({ key }) => isMergeKey(key)).flatMap(({ value }) => mergeSources(value, resolve))
  for (const source of merged) {
    const pair = pairOf(source, name, resolve, seen)
    if (pair) return pair
  }
  return undefined
}

/** Reports whether a key is `<<`, which the library represents as a symbol. */
export const isMergeKey = (key: unknown): boolean => isScalar(key) && typeof key.value === 'symbol'

/** Returns the mappings that a merge key merges: one, or those of a list. */
export function mergeSources(value: unknown, resolve: Resolve): unknown[] {
  const source = resolve(value)
  return isSeq(source) ? source.items.map(resolve) : [source]
}

/** Returns the name of a key as JSON has it. */
export const nameOf = (key: unknown): string => String(isScalar(key) ? (key.value ?? '') : key)

function beginOf(node: unknown): number {
  const range = (node as { range?: [number, number, number] | null } | null)?.range
  return range?.[0] ?? 0
}
