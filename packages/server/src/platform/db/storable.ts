/** Stands where something stood that PostgreSQL cannot store: NUL, or half of a character. */
const replacement = '\uFFFD'

/**
 * Returns a text as PostgreSQL takes it. What callers send is refused before (`platform/http/faults.ts`); what others
 * answer, and what programs print, must not stop the work that writes it down.
 */
export const storableText = (value: unknown): unknown =>
  typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())
    ? value.replaceAll('\0', replacement).toWellFormed()
    : value

/** Returns a value as JSON that PostgreSQL takes, in the names of members as well. */
export function storableJson(value: unknown): string {
  const text = JSON.stringify(value)
  // JSON.stringify escapes surrogates where they are alone.
  if (!/\\u(?:0000|d[89a-f])/.test(text)) return text
  return text.replace(/\\(u0000|ud[89a-f][0-9a-f]{2}|.)/g, (whole, what: string) =>
    what.length > 1 ? replacement : whole,
  )
}
