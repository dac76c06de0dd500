import { type DestinationStream, type Logger, pino } from 'pino'
import { prettyFactory } from 'pino-pretty'

export interface LogSettings {
  level: 'debug' | 'info' | 'warn' | 'error' | 'silent'
  format: 'pretty' | 'json'
  /** What each line says beside its own, of the work that it is written in. */
  mixin?: (() => object) | undefined
  /** Standard output unless given. */
  destination?: DestinationStream
}

/** The log of this process: one line per event, as JSON for machines or as text for people, without secrets. */
export function createLog({ level, format, mixin, destination }: LogSettings): Logger {
  const sink = destination ?? pino.destination({ fd: process.stdout.fd, sync: true })
  return pino(
    {
      level,
      base: null, // process id and host name are the business of whoever collects the lines
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: secretPaths, censor: redacted },
      hooks: { streamWrite: withoutSecrets },
      ...(mixin && { mixin }),
    },
    format === 'json' ? sink : readable(sink, destination === undefined && process.stdout.isTTY),
  )
}

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
]

const withoutSecrets = (line: string) => secretLooks.reduce((text, [looks, shown]) => text.replace(looks, shown), line)
