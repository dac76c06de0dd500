import { parseBoundedJson } from '@sluice/contract/bounded-json'

/** Pattern of names that end in a word for a secret: `STRIPE_API_KEY`, `authToken`, `PGPASSWORD`, `db_password_2`. */
const secretWord =
  /(?:password|passwd|passphrase|secret|token|apikey|privatekey|accesskey|secretkey|credentials?|connectionstring)\d*$/

/**
 * Reports whether a name denotes a secret. The word must be at the end: `token_ttl` and `password_length` do not match.
 */
export const isSecretName = (name: string): boolean =>
  secretWord.test(name.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase())

/**
 * Replaces strings and numbers with secret names by `mark`, at every depth and also inside JSON text. Matches
 * properties, `value` next to a `name` or `key`, and `NAME=value`. Booleans and null remain.
 */
export function hideNamedSecrets(value: unknown, mark: string, name = ''): unknown {
  if (typeof value === 'string') return hideInText(value, mark, name)
  if (typeof value === 'number') return isSecretName(name) ? mark : value
  if (Array.isArray(value)) return value.map((item) => hideNamedSecrets(item, mark, name))
  if (typeof value !== 'object' || value === null) return value
  const nameOfValue = nameBesideValue(value)
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      hideNamedSecrets(item, mark, isValueKey(key) ? (nameOfValue ?? key) : key),
    ]),
  )
}

const isValueKey = (key: string): boolean => key.toLowerCase() === 'value'

/** Returns the name in `{ name: 'DB_PASSWORD', value: 'correct' }`, the form of environment variables in containers. */
function nameBesideValue(pair: object): string | undefined {
  const [, name] = Object.entries(pair).find(([key]) => /^(?:name|key)$/i.test(key)) ?? []
  return typeof name === 'string' ? name : undefined
}

function hideInText(text: string, mark: string, name: string): string {
  if (text === '') return text
  if (isSecretName(name)) return mark
  const [, variable] = /^([\w.-]+)=./.exec(text) ?? []
  if (variable !== undefined) return isSecretName(variable) ? `${variable}=${mark}` : text
  if (!/^\s*[[{]/.test(text)) return text
  const parsed = parsedJson(text)
  const shown = JSON.stringify(hideNamedSecrets(parsed, mark))
  return shown === JSON.stringify(parsed) ? text : shown
}

function parsedJson(text: string): unknown {
  try {
    return parseBoundedJson(text)
  } catch {
    return undefined // not JSON, or nested too deeply
  }
}
