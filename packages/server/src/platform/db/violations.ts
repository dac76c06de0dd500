/** The names that PostgreSQL gives the two refusals a caller can cause. */
const codes = { unique: '23505', foreignKey: '23503' } as const

/** Whether a write failed because the value is taken; with `constraint`, only for that unique index. */
export const isTaken = (error: unknown, constraint?: string): boolean => violates(error, codes.unique, constraint)

/** Whether a write failed because another row refers to this one, or this one to none. */
export const isReferred = (error: unknown, constraint?: string): boolean =>
  violates(error, codes.foreignKey, constraint)

/** Drizzle puts the driver's error into `cause`. */
function violates(error: unknown, code: string, constraint: string | undefined): boolean {
  const { cause } = error instanceof Error ? error : {}
  if (typeof cause !== 'object' || cause === null) return false
  const refusal = cause as { code?: unknown; constraint?: unknown }
  return refusal.code === code && (constraint === undefined || refusal.constraint === constraint)
}
