/** What stands where a secret stood. */
const secretMark = '***'

/**
 * Shorter ones are only masked where they are a whole value: hiding every `1` would hide nothing and spoil everything.
 */
const shortLength = 4

/** The texts by which a secret value is recognized: its own, those inside it, and the lines of longer ones. */
export function secretTexts(value: unknown): string[] {
  if (typeof value === 'number') return [String(value)]
  if (typeof value === 'string') {
    const lines = value.split(/\r?\n/).map((line) => line.trim())
    return [value, ...(lines.length > 1 ? lines.filter(({ length }) => length >= shortLength) : [])].filter(Boolean)
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(secretTexts)
}

/** The value with every secret in it masked, inside texts and names too. */
export function maskSecrets<T>(value: T, secrets: readonly string[]): T {
  // The longest first: one may be part of another.
  const known = [...new Set(secrets)].filter(Boolean).sort((a, b) => b.length - a.length)
  return known.length === 0 ? value : (masked(value, known) as T)
}

function masked(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return maskText(value, secrets)
  if (typeof value === 'number') return secrets.includes(String(value)) ? secretMark : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => masked(item, secrets))
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [maskText(name, secrets), masked(item, secrets)]),
  )
}

function maskText(text: string, secrets: readonly string[]): string {
  if (secrets.includes(text)) return secretMark
  const long = secrets.filter(({ length }) => length >= shortLength)
  return long.reduce((hidden, secret) => hidden.replaceAll(secret, secretMark), text)
}
