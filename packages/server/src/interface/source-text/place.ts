import { isAlias, isMap, isScalar, isSeq, type Pair, type Scalar } from 'yaml'

/** Where something begins in a text: its name, if it has one, and its value. */
export type Place = { name: number; value: number; scalar?: Scalar }

/** What an alias stands for; anything else stands for itself. */
export type Resolve = (node: unknown) => unknown

/**
 * Where what a path leads to begins, or else the nearest thing on the way that is there. Behind the path there may be
 * more.
 */
export function placeOf(root: unknown, path: string, resolve: Resolve): Place {
  let node = root
  let place: Place = { name: beginOf(root), value: beginOf(root) }
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

/** A path is one such as `.steps[1].with["a b"]`. */
function firstStep(path: string): { name: string; length: number } | undefined {
  const found = /^(?:\.([^.:[\]\s]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\])/.exec(path)
  if (!found) return undefined
  const [all, plain, index, quoted = '""'] = found
  return { name: plain ?? index ?? JSON.parse(quoted), length: all.length }
}

/** An item of a list, or a member: what is long begins with its name. */
function childOf(node: unknown, name: string, resolve: Resolve): { node: unknown; place: Place } | undefined {
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

/** The member of a mapping with this name: its own, or else that of the first mapping merged into it that has one. */
export function pairOf(node: unknown, name: string, resolve: Resolve, seen = new Set<unknown>()): Pair | undefined {
  if (!isMap(node) || seen.has(node)) return undefined
  seen.add(node) // a mapping can be merged again and again
  const own = node.items.find(({ key }) => !isMergeKey(key) && nameOf(key) === name)
  if (own) return own
  const merged = node.items.filter(({ key }) => isMergeKey(key)).flatMap(({ value }) => mergeSources(value, resolve))
  for (const source of merged) {
    const pair = pairOf(source, name, resolve, seen)
    if (pair) return pair
  }
  return undefined
}

/** `<<`, which the library reads as a symbol where it is a key. */
export const isMergeKey = (key: unknown): boolean => isScalar(key) && typeof key.value === 'symbol'

/** What a merge key merges: a mapping, or each of a list. */
export function mergeSources(value: unknown, resolve: Resolve): unknown[] {
  const source = resolve(value)
  return isSeq(source) ? source.items.map(resolve) : [source]
}

/** As a member of an object is called. */
export const nameOf = (key: unknown): string => String(isScalar(key) ? (key.value ?? '') : key)

function beginOf(node: unknown): number {
  const range = (node as { range?: [number, number, number] | null } | null)?.range
  return range?.[0] ?? 0
}
