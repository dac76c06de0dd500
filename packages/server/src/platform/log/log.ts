import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino'
import { prettyFactory } from 'pino-pretty'
import { kindOfError, loggedError } from './error.ts'
import { ByteBudget, type Repeated, Sampling } from './sampling.ts'

export interface LogSettings {
  level: 'debug' | 'info' | 'warn' | 'error' | 'silent'
  format: 'pretty' | 'json'
  /** Returns fields for every line, from the context in which the line is written. */
  mixin?: (() => object) | undefined
  /** Default: standard output. */
  destination?: DestinationStream
  /** Monotonic time in milliseconds for counting repeated lines. */
  now?: () => number
}

/**
 * Creates the logger of the process: one line per event, as JSON or as text, with secrets redacted. Per minute it
 * writes at most ten equal warnings or errors and, above the level debug, at most 8 MiB. It then logs how many lines
 * were suppressed.
 */
export function createLog({ level, format, mixin, destination, now }: LogSettings): Logger {
  const standard = destination ?? pino.destination({ fd: process.stdout.fd, sync: true })
  const shown = format === 'json' ? standard : readable(standard, destination === undefined && process.stdout.isTTY)
  const sink = level === 'debug' ? shown : bounded(shown, new ByteBudget(now))
  const report = ({ level, suppressed, text }: Repeated) =>
    sink.write(ownLine(level, { suppressed }, `${suppressed} more lines in the minute before: ${text}`))
  return pino(
    {
      level,
      base: null, // log collectors add the process id and the host name
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: secretPaths, censor: redacted },
      serializers: { err: (error: unknown) => (error instanceof Error ? loggedError(error) : error) },
      hooks: { streamWrite: withoutSecrets, logMethod: sampled(new Sampling(now), report) },
      ...(mixin && { mixin }),
    },
    sink,
  )
}

type LogHook = NonNullable<NonNullable<LoggerOptions['hooks']>['logMethod']>

/** Returns a hook that samples repeated lines. `report` writes a line without the context of the current work. */
function sampled(sampling: Sampling, report: (one: Repeated) => void): LogHook {
  return function (args, method, level) {
    for (const one of sampling.takeEnded()) report(one)
    if (sampling.admits(level, textOf(args))) method.apply(this, args)
  }
}

/** Returns the key under which lines count as equal: message, and the class and place of the error. */
function textOf([first, second]: readonly unknown[]): string {
  if (typeof first === 'string') return first
  const { err } = Object(first)
  return err instanceof Error ? `${second ?? ''} (${kindOfError(err)})` : String(second)
}

function bounded(sink: DestinationStream, budget: ByteBudget): DestinationStream {
  return {
    write(line) {
      const dropped = budget.takeEnded()
      if (dropped > 0)
        sink.write(ownLine('warn', { lines: dropped }, 'the minute before had more lines than the log has room for'))
      if (budget.admits(Buffer.byteLength(line))) sink.write(line)
    },
  }
}

/** Formats a line about the log itself, without the context of the current work. */
const ownLine = (level: 'warn' | 'error', fields: object, msg: string): string =>
  withoutSecrets(`${JSON.stringify({ level, time: new Date().toISOString(), ...fields, msg })}\n`)

function readable(sink: DestinationStream, colorize: boolean): DestinationStream {
  const format = prettyFactory({ colorize, translateTime: 'SYS:HH:MM:ss.l', singleLine: true })
  return { write: (line) => sink.write(format(line)) }
}

const redacted = '[redacted]'

/** Names of fields that are always redacted, at the top level or one level below. */
const secretNames = [
  'password',
  'token',
  'secret',
  'apiKey',
  'authorization',
  'cookie',
  'databaseUrl',
  'databaseMigrationUrl',
  'bootstrapToken',
  'encryptionKey',
  'secretAccessKey',
  'sessionToken',
]
const secretPaths = [
  ...secretNames.flatMap((name) => [name, `*.${name}`]),
  ...['authorization', 'cookie', 'set-cookie'].map((name) => `*.headers["${name}"]`),
]

/** Patterns of secrets inside longer text, such as error messages and URLs. */
const secretLooks: [RegExp, string][] = [
  [/\b(slc|sls|sli|slr|sla)_[\w-]{8,}/g, `$1_${redacted}`],
  [/\$argon2id\$[\w$=,+/]+/g, `$argon2id$${redacted}`],
  [/\b(Bearer|Basic) [\w.~+/=-]{8,}/gi, `$1 ${redacted}`],
  [/(:\/\/[^\s:/@"]*:)[^\s/@"]+@/g, `$1${redacted}@`],
  // Drizzle's message contains the whole statement with its parameters, which are data of tenants.
  [/Failed query: (?:[^"\\]|\\.)*/g, 'Failed query'],
]

const withoutSecrets = (line: string) => secretLooks.reduce((text, [looks, shown]) => text.replace(looks, shown), line)
