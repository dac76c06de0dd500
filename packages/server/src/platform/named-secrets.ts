import { parseBoundedJson } from '@sluice/contract/bounded-json'

/** Words at the end of a name that promise a secret: `STRIPE_API_KEY`, `authToken`, `PGPASSWORD`, `db_password_2`. */
const secretWord =
  /(?:password|passwd|passphrase|secret|token|apikey|privatekey|accesskey|secretkey|credentials?|connectionstring)\d*$/

/** Whether a name says that its value is secret. The word must end it: `token_ttl` and `password_length` are none. */
export const isSecretName = (name: string): boolean =>
  secretWord.test(name.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase())

/**
 * Replaces the texts and numbers whose names say that they are secret with `mark`, at every depth: members of objects,
 * `value` beside a `name` or `key`, and `NAME=value`; in JSON texts as well. Switches and null stay.
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

/** The name in `{ name: 'DB_PASSWORD', value: 'correct' }`, as containers and functions list their environment. */
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
    return undefined // a text that only begins like JSON, or one too deep to be searched
  }
}
