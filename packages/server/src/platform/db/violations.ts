/** The names that PostgreSQL gives the refusals a caller can cause; the last is that of rules in our own functions. */
const codes = { unique: '23505', foreignKey: '23503', ours: '23001' } as const

/** Whether a write failed because the value is taken; with `constraint`, only for that unique index. */
export const isTaken = (error: unknown, constraint?: string): boolean => violates(error, codes.unique, constraint)

/** Whether a write failed because another row refers to this one, or this one to none. */
export const isReferred = (error: unknown, constraint?: string): boolean =>
  violates(error, codes.foreignKey, constraint)

/** What the rule of ours says that a write was refused by; undefined where that was not it. */
export function saidBy(error: unknown, rule: string): unknown {
  if (!violates(error, codes.ours, rule) || !(error instanceof Error)) return undefined
  return JSON.parse(String((error.cause as { detail?: unknown }).detail))
}

/** Drizzle puts the driver's error into `cause`. */
function violates(error: unknown, code: string, constraint: string | undefined): boolean {
  const { cause } = error instanceof Error ? error : {}
  if (typeof cause !== 'object' || cause === null) return false
  const refusal = cause as { code?: unknown; constraint?: unknown }
  return refusal.code === code && (constraint === undefined || refusal.constraint === constraint)
}
