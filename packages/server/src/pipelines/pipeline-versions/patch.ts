import type { PatchOp } from '@sluice/contract'

type Json = Record<string, unknown>

/** Position of a value, as a JSON Pointer (RFC 6901) and as a label. */
type Place = { path: string; label: string }

/**
 * Returns the operations that convert `before` to `after` (RFC 6902), each with the previous value. Identifies list
 * items by their `id`, so that an inserted or moved step does not change all following ones.
 *
 * The available libraries either compare lists by index, need exponential time for nested lists (rfc6902), or reject
 * keys such as `constructor` (jsondiffpatch). None returns previous values.
 */
export function patchBetween(before: Json, after: Json): PatchOp[] {
  const ops: PatchOp[] = []
  compareObjects({ path: '', label: '' }, before, after, ops)
  return ops
}

function compare(at: Place, before: unknown, after: unknown, ops: PatchOp[]): void {
  if (isObject(before) && isObject(after)) compareObjects(at, before, after, ops)
  else if (Array.isArray(before) && Array.isArray(after)) compareLists(at, before, after, ops)
  else if (before !== after) ops.push({ op: 'replace', ...named(at), fromValue: before, value: after })
}

function compareObjects(at: Place, before: Json, after: Json, ops: PatchOp[]): void {
  for (const [key, value] of Object.entries(before)) {
    const place = within(at, key)
    if (Object.hasOwn(after, key)) compare(place, value, after[key], ops)
    else ops.push({ op: 'remove', ...named(place), fromValue: value })
  }
  for (const [key, value] of Object.entries(after)) {
    if (!Object.hasOwn(before, key)) ops.push({ op: 'add', ...named(within(at, key)), value })
  }
}

/** Removes items from the end, so that indexes stay valid, and then sets each position in order. */
function compareLists(at: Place, before: unknown[], after: unknown[], ops: PatchOp[]): void {
  const isLong = before.length > mostMatched || after.length > mostMatched
  const wanted = keysOf(after, isLong)
  const wantedKeys = new Set(wanted)
  const keys = keysOf(before, isLong)
  const items = [...before]
  for (let index = items.length - 1; index >= 0; index--) {
    if (wantedKeys.has(keys[index] ?? '')) continue
    ops.push({ op: 'remove', ...named(within(at, index, items[index])), fromValue: items[index] })
    items.splice(index, 1)
    keys.splice(index, 1)
  }
  for (const [index, item] of after.entries()) {
    const key = wanted[index] ?? ''
    const place = within(at, index, item)
    const there = keys.indexOf(key, index)
    if (there === -1) {
      ops.push({ op: 'add', ...named(place), value: item })
      items.splice(index, 0, item)
      keys.splice(index, 0, key)
      continue
    }
    if (there > index) {
      const [moved] = items.splice(there, 1)
      keys.splice(there, 1)
      items.splice(index, 0, moved)
      keys.splice(index, 0, key)
      ops.push({ op: 'move', from: `${at.path}/${there}`, ...named(place), fromValue: moved })
    }
    compare(place, items[index], item, ops)
  }
}

/**
 * Maximum length of a list whose items are matched, because that needs quadratic time. Longer lists are compared by
 * index.
 */
const mostMatched = 1_000

/** Returns keys that identify the items of a list: their id, or otherwise their value, with a number for duplicates. */
function keysOf(items: unknown[], isLong: boolean): string[] {
  if (isLong) return items.map((_, index) => String(index))
  const times = new Map<string, number>()
  return items.map((item) => {
    const kind = isObject(item) ? idOf(item) : JSON.stringify(Array.isArray(item) ? [] : item)
    const count = times.get(kind) ?? 0
    times.set(kind, count + 1)
    return `${count} ${kind}`
  })
}

const idOf = (item: Json): string => (typeof item.id === 'string' ? `id ${item.id}` : '{}')

/** Returns the position of a member or item; its label uses the id or name of an item rather than the index. */
function within({ path, label }: Place, key: string | number, item?: unknown): Place {
  const token = String(key).replaceAll('~', '~0').replaceAll('/', '~1')
  const name = typeof key === 'string' ? key : nameOf(item, key)
  return { path: `${path}/${token}`, label: label === '' ? name : `${label} › ${name}` }
}

function nameOf(item: unknown, index: number): string {
  const names = isObject(item) ? [item.id, item.name] : []
  return names.find((name) => typeof name === 'string') ?? `#${index + 1}`
}

const named = ({ path, label }: Place) => ({ path, pathLabel: label })

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
