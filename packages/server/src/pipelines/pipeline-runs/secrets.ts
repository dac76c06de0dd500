import { minSecretLength, secretForms } from '@sluice/contract/secret-forms'
import { hideNamedSecrets } from '../../platform/named-secrets.ts'

/** Replacement for secrets. */
export const secretMark = '***'

/** Returns the texts by which a secret value is recognized: itself, texts inside it, and the lines of long ones. */
export function secretTexts(value: unknown): string[] {
  if (typeof value === 'number') return [String(value)]
  if (typeof value === 'string') {
    const lines = value.split(/\r?\n/).map((line) => line.trim())
    return [value, ...(lines.length > 1 ? lines.filter(({ length }) => length >= minSecretLength) : [])].filter(Boolean)
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(secretTexts)
}

/** Texts to mask: `whole` only as a complete value, `inside` also within texts in every common encoding. */
type Secrets = { whole: ReadonlySet<string>; inside: readonly string[] }

/** Masks secrets in a value, including inside texts and names. Short secrets are masked only as a complete value. */
export function maskSecrets<T>(value: T, secrets: readonly string[]): T {
  const whole = new Set(secrets.filter(Boolean))
  if (whole.size === 0) return value
  const inside = [...new Set([...whole].flatMap(secretForms))]
  // Longest first, because one secret may contain another.
  return masked(value, { whole, inside: inside.sort((a, b) => b.length - a.length) }) as T
}

/** Returns the input of a step for display, without known secrets and without values whose names indicate secrets. */
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
