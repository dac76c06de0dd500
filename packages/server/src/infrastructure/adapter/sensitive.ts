import { hideNamedSecrets } from '../../platform/named-secrets.ts'

/** What stands in the place of a value that must not be shown, or is not known yet. */
export const sensitive = '(sensitive)'
export const unknown = '(known after apply)'
/** What stands in the place of a value or a name that cannot be stored: see `toStorableValue`. */
export const notStored = '(not stored)'

type Node = Record<string, unknown>
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * A value with the places that its masks mark replaced. A mask is `true` for a whole value, or has the shape of the
 * value with `true` inside; what is not known yet stands in the second mask alone.
 */
export function masked(value: unknown, isSensitive: unknown, isUnknown: unknown = false): unknown {
  if (isSensitive === true) return sensitive
  if (isUnknown === true) return unknown
  if (Array.isArray(value) || (Array.isArray(isUnknown) && value === undefined)) {
    const items: unknown[] = Array.isArray(value) ? value : []
    const length = Math.max(items.length, Array.isArray(isUnknown) ? isUnknown.length : 0)
    return Array.from({ length }, (_, index) => masked(items[index], at(isSensitive, index), at(isUnknown, index)))
  }
  if (!isNode(value) && !isNode(isUnknown)) return value
  if (value !== undefined && value !== null && !isNode(value)) return value
  const keys = new Set([...Object.keys(value ?? {}), ...(isNode(isUnknown) ? Object.keys(isUnknown) : [])])
  if (keys.size === 0) return value
  const entries = [...keys].map(
    (key) => [key, masked(at(value, key), at(isSensitive, key), at(isUnknown, key))] as const,
  )
  return Object.fromEntries(entries.filter(([, item]) => item !== undefined))
}

const at = (value: unknown, key: string | number): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined

/** Every text and number under the places that a mask marks: they may turn up elsewhere. */
export function secretsUnder(value: unknown, mask: unknown): string[] {
  if (mask === true) return leavesOf(value)
  if (typeof mask !== 'object' || mask === null) return []
  return Object.entries(mask).flatMap(([key, inner]) => secretsUnder(at(value, key), inner))
}

/** The texts in a value. */
export function leavesOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(leavesOf)
  return []
}

/** Shorter ones are everywhere by chance, and hiding them would tell what they are. Characters. */
const leastSecretLength = 4

/** Replaces the secrets wherever they turn up in texts: providers copy values into places that no mask marks. */
export function hiding(secrets: Iterable<string>): (value: unknown) => unknown {
  const known = [...new Set(secrets)].filter(({ length }) => length >= leastSecretLength)
  known.sort((a, b) => b.length - a.length)
  if (known.length === 0) return (value) => value
  const looks = new RegExp(known.map(escaped).join('|'), 'g')
  const hide = (value: unknown): unknown => {
    if (typeof value === 'string') return value.replace(looks, sensitive)
    if (Array.isArray(value)) return value.map(hide)
    if (!isNode(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, hide(item)]))
  }
  return hide
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

/**
 * Puts the values after an apply into the places that were not known before. Without the mask of sensitive values, only
 * plain values and lists of them: a larger value may have sensitive parts that nothing marked while it was unknown.
 */
export function filledIn(planned: unknown, found: unknown, isSensitive?: unknown): unknown {
  if (isSensitive === true) return sensitive
  if (planned === unknown) {
    const isKnown = found !== undefined && (isSensitive !== undefined || isPlainOrList(found))
    return isKnown ? hideNamedSecrets(masked(found, isSensitive), sensitive) : planned
  }
  const fillIn = (item: unknown, key: string | number) =>
    filledIn(item, at(found, key), isSensitive === undefined ? undefined : (at(isSensitive, key) ?? false))
  if (Array.isArray(planned)) return planned.map(fillIn)
  if (!isNode(planned)) return planned
  return Object.fromEntries(Object.entries(planned).map(([key, item]) => [key, fillIn(item, key)]))
}

const isPlainOrList = (value: unknown): boolean => (Array.isArray(value) ? value.every(isPlain) : isPlain(value))

const isPlain = (value: unknown): boolean => value === null || ['string', 'number', 'boolean'].includes(typeof value)
