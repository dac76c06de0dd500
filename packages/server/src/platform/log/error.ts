/** Error as it is logged: only properties that cannot contain data of a tenant. */
export type LoggedError = {
  type: string
  message: string
  code?: string
  /** Table and constraint that a statement violated. */
  table?: string
  constraint?: string
  statement?: string
  stack?: string
  cause?: LoggedError
}

const logged = new WeakSet<Error>()

/** Reports whether an error was already logged, so that callers that rethrow it do not log it again. */
export const wasLogged = (error: Error): boolean => logged.has(error)

/**
 * Serializes an error for the log, without unknown properties and without the parameters and rows of a failed query.
 */
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

/** Returns a key that groups equal errors: class, code and place of the throw, also of the causes. */
export function kindOfError(error: Error, depth = 0): string {
  const { code, cause } = error as { code?: unknown; cause?: unknown }
  const kind = [error.constructor.name, ...(typeof code === 'string' ? [code] : []), stackOf(error).split('\n', 1)]
  const isLast = !(cause instanceof Error) || depth === maxDepth
  return [...kind, ...(isLast ? [] : [kindOfError(cause, depth + 1)])].join(' ')
}

const maxDepth = 4
/** Maximum lengths in characters. */
const longest = { message: 2_000, stack: 4_000, statement: 80 }

/** Reports whether Drizzle threw the error. Its cause is the error of the database. */
const isFailedQuery = (error: Error): error is Error & { query: string } =>
  'query' in error && typeof error.query === 'string' && 'params' in error

function messageOf(error: Error): string {
  if (isFailedQuery(error)) return 'A query failed'
  // Messages of the class "data exception" end with the value: `invalid input syntax for type integer: "x"`.
  const isData = 'severity' in error && 'code' in error && String(error.code).startsWith('22')
  return (isData ? error.message.replace(/: ".*$/s, '') : error.message).slice(0, longest.message)
}

/** Returns the stack frames only: the text before them repeats the message, which may contain a whole query. */
const stackOf = ({ stack = '' }: Error): string =>
  stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n')
    .slice(0, longest.stack)

const beginningOf = (query: string): string => query.replaceAll(/\s+/g, ' ').trim().slice(0, longest.statement)

const texts = (fields: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
