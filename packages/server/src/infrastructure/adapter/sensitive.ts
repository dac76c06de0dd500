import { hideNamedSecrets } from '../../platform/named-secrets.ts'

/** Placeholders for sensitive values and for values that are unknown until the apply. */
export const sensitive = '(sensitive)'
export const unknown = '(known after apply)'
/** Placeholder for a value or name that cannot be stored; see `toStorableValue`. */
export const notStored = '(not stored)'

type Node = Record<string, unknown>
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Replaces the sensitive and unknown parts of a value. A mask is `true` for the whole value, or has its shape with
 * `true` at the masked places.
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

/** Returns the strings and numbers that a mask marks, because they may also occur elsewhere. */
export function secretsUnder(value: unknown, mask: unknown): string[] {
  if (mask === true) return stringsIn(value)
  if (typeof mask !== 'object' || mask === null) return []
  return Object.entries(mask).flatMap(([key, inner]) => secretsUnder(at(value, key), inner))
}

export function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(stringsIn)
  return []
}

/**
 * Minimum length of a secret to mask. Shorter strings occur by chance, and masking them would reveal them. Characters.
 */
const leastSecretLength = 4

/**
 * Returns a function that masks the secrets in all strings of a value, because providers copy them to places without a
 * mask.
 */
export function createMask(secrets: Iterable<string>): (value: unknown) => unknown {
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
 * Fills the values known after an apply into the unknown places. Without a mask of sensitive values it fills in only
 * primitive values and lists of them, because a larger value may have unmarked sensitive parts.
 */
export function fillInKnown(planned: unknown, found: unknown, isSensitive?: unknown): unknown {
  if (isSensitive === true) return sensitive
  if (planned === unknown) {
    const isKnown = found !== undefined && (isSensitive !== undefined || isPlainOrList(found))
    return isKnown ? hideNamedSecrets(masked(found, isSensitive), sensitive) : planned
  }
  const fillIn = (item: unknown, key: string | number) =>
    fillInKnown(item, at(found, key), isSensitive === undefined ? undefined : (at(isSensitive, key) ?? false))
  if (Array.isArray(planned)) return planned.map(fillIn)
  if (!isNode(planned)) return planned
  return Object.fromEntries(Object.entries(planned).map(([key, item]) => [key, fillIn(item, key)]))
}

const isPlainOrList = (value: unknown): boolean => (Array.isArray(value) ? value.every(isPlain) : isPlain(value))

const isPlain = (value: unknown): boolean => value === null || ['string', 'number', 'boolean'].includes(typeof value)
