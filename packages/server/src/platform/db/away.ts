import { DrizzleQueryError } from './drizzle.ts'

/** The database could not be asked, or what it answers did not arrive. */
export class DatabaseAway extends Error {
  override readonly name = 'DatabaseAway'
}

/**
 * Why something failed, in the words of the database or the system, where the database is away, lets nobody in,
 * or has no time just now: then it may be repeated. Undefined where it failed for another reason.
 */
export function whyDatabaseAway(error: unknown): string | undefined {
  for (let one = error; one instanceof Error; one = one.cause) {
    if (one instanceof DatabaseAway) return one.message
    // Only what the driver says of a statement: the cloud and git hosts have the same words for a lost connection.
    if (one instanceof DrizzleQueryError) return meansAway(one.cause) ? one.cause?.message : undefined
  }
  return undefined
}

/** Whether an error is of this class, or was caused by one. */
export function hasCause(error: unknown, type: abstract new (...args: never[]) => Error): boolean {
  if (error instanceof type) return true
  return error instanceof Error && hasCause(error.cause, type)
}

/** What the driver says outside of statements, such as of a connection that cannot be made, under our name. */
export function named(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof DatabaseAway || !meansAway(error)) return error
  return new DatabaseAway(`the database is away: ${error.message}`, { cause: error })
}

/**
 * Classes and codes of PostgreSQL: a connection that failed; a login or database that is not (any more); a server that
 * has no more connections, memory or disk; one that stops, starts or recovers; a session that was ended for idling;
 * and a standby, which takes no writes. https://www.postgresql.org/docs/15/errcodes-appendix.html, read 2026-11-27
 */
const awayStates = ['08', '28', '3D000', '53', '57P', '25P03', '25006']

/** Of the system, about a socket or a name. */
const awayCodes = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH'],
  ...['ENETDOWN', 'ENOTFOUND', 'EAI_AGAIN', 'ENOENT'],
])

/** Of the driver and its pool, which give no code (pg 8.23, pg-pool 3). */
const awayWords =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client (has encountered a connection error|was closed) and is not queryable)/

function meansAway(error: unknown): boolean {
  if (error instanceof DatabaseAway) return true
  if (!(error instanceof Error)) return false
  const { code, severity } = error as Error & { code?: unknown; severity?: unknown }
  if (severity !== undefined) return awayStates.some((state) => String(code).startsWith(state))
  return awayCodes.has(String(code)) || awayWords.test(error.message)
}
