import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino'
import { prettyFactory } from 'pino-pretty'
import { kindOfError, loggedError } from './error.ts'
import { ByteBudget, type Repeated, Sampling } from './sampling.ts'

export interface LogSettings {
  level: 'debug' | 'info' | 'warn' | 'error' | 'silent'
  format: 'pretty' | 'json'
  /** What each line says beside its own, of the work that it is written in. */
  mixin?: (() => object) | undefined
  /** Standard output unless given. */
  destination?: DestinationStream
  /** A monotonic time in milliseconds, by which repeated lines are counted. */
  now?: () => number
}

/**
 * The log of this process: one line per event, as JSON for machines or as text for people, without secrets. Of warnings
 * and errors with the same text a minute has ten, and then their number; of all lines 8 MiB, unless it debugs.
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
      base: null, // process id and host name are the business of whoever collects the lines
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

/** `report` writes a line of the log that has no context of what is being done. */
function sampled(sampling: Sampling, report: (one: Repeated) => void): LogHook {
  return function (args, method, level) {
    for (const one of sampling.takeEnded()) report(one)
    if (sampling.admits(level, textOf(args))) method.apply(this, args)
  }
}

/** What lines of one kind have in common: the text without its fields, the kind of error and where it was thrown. */
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

/** A line about the log itself, without the context of the work that is being done. */
const ownLine = (level: 'warn' | 'error', fields: object, msg: string): string =>
  withoutSecrets(`${JSON.stringify({ level, time: new Date().toISOString(), ...fields, msg })}\n`)

function readable(sink: DestinationStream, colorize: boolean): DestinationStream {
  const format = prettyFactory({ colorize, translateTime: 'SYS:HH:MM:ss.l', singleLine: true })
  return { write: (line) => sink.write(format(line)) }
}

const redacted = '[redacted]'

/** Fields that hold nothing but a secret, wherever we may log them: at the top, or one level down. */
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

/** Secrets inside longer texts, such as an error's message or a URL: known by their looks. */
const secretLooks: [RegExp, string][] = [
  [/\b(slc|sls|sli|slr|sla)_[\w-]{8,}/g, `$1_${redacted}`],
  [/\$argon2id\$[\w$=,+/]+/g, `$argon2id$${redacted}`],
  [/\b(Bearer|Basic) [\w.~+/=-]{8,}/gi, `$1 ${redacted}`],
  [/(:\/\/[^\s:/@"]*:)[^\s/@"]+@/g, `$1${redacted}@`],
  // As Drizzle says it, with the whole statement and its parameters: rows of tenants.
  [/Failed query: (?:[^"\\]|\\.)*/g, 'Failed query'],
]

const withoutSecrets = (line: string) => secretLooks.reduce((text, [looks, shown]) => text.replace(looks, shown), line)
