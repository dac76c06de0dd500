/** An error as a line of the log has it: no member of an error that can hold what a tenant sent or stored. */
export type LoggedError = {
  type: string
  message: string
  code?: string
  /** The relation and constraint that a statement violated. */
  table?: string
  constraint?: string
  /** How the statement begins. */
  statement?: string
  stack?: string
  cause?: LoggedError
}

const logged = new WeakSet<Error>()

/** Whether a line has this error already, so that who passes it on need not log it again. */
export const wasLogged = (error: Error): boolean => logged.has(error)

/** Serializes an error for the log, without parameters and rows of a failed query, and without unknown members. */
export function loggedError(error: Error, depth = 0): LoggedError {
  logged.add(error)
  const { cause } = error
  const ofDatabase = error as { code?: unknown; table?: unknown; constraint?: unknown }
  return {
    type: error.name === 'Error' ? error.constructor.name : error.name,
    message: messageOf(error),
    ...texts({ code: ofDatabase.code, table: ofDatabase.table, constraint: ofDatabase.constraint }),
    ...(isFailedQuery(error) && { statement: beginningOf(error.query) }),
    stack: stackOf(error),
    ...(cause instanceof Error && depth < maxDepth && { cause: loggedError(cause, depth + 1) }),
  }
}

/** What tells a kind of error from others: its class and code, where it was thrown, and the same of its causes. */
export function kindOfError(error: Error, depth = 0): string {
  const { code, cause } = error as { code?: unknown; cause?: unknown }
  const kind = [error.constructor.name, ...(typeof code === 'string' ? [code] : []), stackOf(error).split('\n', 1)]
  const isLast = !(cause instanceof Error) || depth === maxDepth
  return [...kind, ...(isLast ? [] : [kindOfError(cause, depth + 1)])].join(' ')
}

const maxDepth = 4
/** Characters. */
const longest = { message: 2_000, stack: 4_000, statement: 80 }

/** As Drizzle throws it; the database's own error is the cause. */
const isFailedQuery = (error: Error): error is Error & { query: string } =>
  'query' in error && typeof error.query === 'string' && 'params' in error

function messageOf(error: Error): string {
  if (isFailedQuery(error)) return 'A query failed'
  // Of the class "data exception", PostgreSQL quotes the value last: `invalid input syntax for type integer: "x"`.
  const isData = 'severity' in error && 'code' in error && String(error.code).startsWith('22')
  return (isData ? error.message.replace(/: ".*$/s, '') : error.message).slice(0, longest.message)
}

/** Where it was thrown. The text before that repeats the message, and with it a whole query. */
const stackOf = ({ stack = '' }: Error): string =>
  stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n')
    .slice(0, longest.stack)

const beginningOf = (query: string): string => query.replaceAll(/\s+/g, ' ').trim().slice(0, longest.statement)

const texts = (fields: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
