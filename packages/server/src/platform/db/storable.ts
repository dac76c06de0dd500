/** Replacement of what PostgreSQL cannot store: NUL, or half of a surrogate pair. */
const replacement = '\uFFFD'

/**
 * Returns a text that PostgreSQL can store. Input of callers is rejected earlier (`platform/http/faults.ts`); responses
 * of others and output of programs must not stop the work that stores them.
 */
export const storableText = (value: unknown): unknown =>
  typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())
    ? value.replaceAll('\0', replacement).toWellFormed()
    : value

/** Returns a value as JSON that PostgreSQL can store, including the names of members. */
export function storableJson(value: unknown): string {
  const text = JSON.stringify(value)
  // JSON.stringify escapes lone surrogates.
  if (!/\\u(?:0000|d[89a-f])/.test(text)) return text
  return text.replace(/\\(u0000|ud[89a-f][0-9a-f]{2}|.)/g, (whole, what: string) =>
    what.length > 1 ? replacement : whole,
  )
}
