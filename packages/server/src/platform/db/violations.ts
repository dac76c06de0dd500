/** Error codes of PostgreSQL that callers can cause. The last one is raised by our own functions. */
const codes = { unique: '23505', foreignKey: '23503', ours: '23001' } as const

/** Reports whether a write failed because a value is taken, by a unique index or by `constraint`. */
export const isTaken = (error: unknown, constraint?: string): boolean => violates(error, codes.unique, constraint)

/** Reports whether a write failed because of a foreign key. */
export const isForeignKeyViolation = (error: unknown, constraint?: string): boolean =>
  violates(error, codes.foreignKey, constraint)

/** Returns the message of our rule that rejected a write; undefined for other errors. */
export function ruleViolationDetail(error: unknown, rule: string): unknown {
  if (!violates(error, codes.ours, rule) || !(error instanceof Error)) return undefined
  return JSON.parse(String((error.cause as { detail?: unknown }).detail))
}

/** Drizzle stores the driver's error in `cause`. */
function violates(error: unknown, code: string, constraint: string | undefined): boolean {
  const { cause } = error instanceof Error ? error : {}
  if (typeof cause !== 'object' || cause === null) return false
  const violation = cause as { code?: unknown; constraint?: unknown }
  return violation.code === code && (constraint === undefined || violation.constraint === constraint)
}
