import { DrizzleQueryError } from './drizzle.ts'

/** Error of a database that could not be reached, or whose response did not arrive. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable'
}

/**
 * Returns the message of the database or the system if the database is unreachable, rejects sessions or is overloaded,
 * so that the operation can be repeated; undefined for any other error.
 */
export function databaseUnavailableReason(error: unknown): string | undefined {
  for (let one = error; one instanceof Error; one = one.cause) {
    if (one instanceof DatabaseUnavailable) return one.message
    // Only errors of statements: the cloud and git hosts report lost connections with the same words.
    if (one instanceof DrizzleQueryError) return meansAway(one.cause) ? one.cause?.message : undefined
  }
  return undefined
}

/** Reports whether an error has this class, or was caused by one that has. */
export function hasCause(error: unknown, type: abstract new (...args: never[]) => Error): boolean {
  if (error instanceof type) return true
  return error instanceof Error && hasCause(error.cause, type)
}

/** Wraps errors that the driver throws outside of statements, such as a failed connection. */
export function wrapConnectionError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof DatabaseUnavailable || !meansAway(error)) return error
  return new DatabaseUnavailable(`the database is away: ${error.message}`, { cause: error })
}

/**
 * Classes and codes of PostgreSQL: a failed connection; a missing login or database; a server without connections,
 * memory or disk; one that stops, starts or recovers; an ended idle session; and a standby, which takes no writes.
 * https://www.postgresql.org/docs/15/errcodes-appendix.html, read 2026-11-27
 */
const awayStates = ['08', '28', '3D000', '53', '57P', '25P03', '25006']

/** Codes of the system for sockets and names. */
const awayCodes = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH'],
  ...['ENETDOWN', 'ENOTFOUND', 'EAI_AGAIN', 'ENOENT'],
])

/** Messages of the driver and its pool, which have no code (pg 8.23, pg-pool 3). */
const awayWords =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client (has encountered a connection error|was closed) and is not queryable)/

function meansAway(error: unknown): boolean {
  if (error instanceof DatabaseUnavailable) return true
  if (!(error instanceof Error)) return false
  const { code, severity } = error as Error & { code?: unknown; severity?: unknown }
  if (severity !== undefined) return awayStates.some((state) => String(code).startsWith(state))
  return awayCodes.has(String(code)) || awayWords.test(error.message)
}
