import { minSecretLength, secretForms } from '@sluice/contract/secret-forms'
import { hideNamedSecrets } from '../../platform/named-secrets.ts'

/** What stands where a secret stood. */
export const secretMark = '***'

/** The texts by which a secret value is recognized: its own, those inside it, and the lines of longer ones. */
export function secretTexts(value: unknown): string[] {
  if (typeof value === 'number') return [String(value)]
  if (typeof value === 'string') {
    const lines = value.split(/\r?\n/).map((line) => line.trim())
    return [value, ...(lines.length > 1 ? lines.filter(({ length }) => length >= minSecretLength) : [])].filter(Boolean)
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(secretTexts)
}

/** What is masked: where it is a whole value, and, unless it is short, inside texts in every usual encoding. */
type Secrets = { whole: ReadonlySet<string>; inside: readonly string[] }

/**
 * The value with every secret in it masked, inside texts and names too. Short ones only where they are a whole value.
 */
export function maskSecrets<T>(value: T, secrets: readonly string[]): T {
  const whole = new Set(secrets.filter(Boolean))
  if (whole.size === 0) return value
  const inside = [...new Set([...whole].flatMap(secretForms))]
  // The longest first: one may be part of another.
  return masked(value, { whole, inside: inside.sort((a, b) => b.length - a.length) }) as T
}

/** Returns the input of a step as it is shown: without known secrets, and without those that names give away. */
export const shownInput = <T>(input: T, secrets: readonly string[] = []): T =>
  hideNamedSecrets(maskSecrets(input, secrets), secretMark) as T

function masked(value: unknown, secrets: Secrets): unknown {
  if (typeof value === 'string') return maskText(value, secrets)
  if (typeof value === 'number') return secrets.whole.has(String(value)) ? secretMark : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => masked(item, secrets))
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [maskText(name, secrets), masked(item, secrets)]),
  )
}

function maskText(text: string, { whole, inside }: Secrets): string {
  if (whole.has(text)) return secretMark
  return inside.reduce((hidden, secret) => hidden.replaceAll(secret, secretMark), text)
}
