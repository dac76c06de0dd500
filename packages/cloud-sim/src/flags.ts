import { parseArgs } from 'node:util'
import packageJson from '../package.json' with { type: 'json' }
import type { ProgramTable } from './ecs/programs.ts'
import type { SimOptions } from './simulation.ts'

/** Maximum speed: more than 11 days of cloud time per second. */
const maxSpeed = 1_000_000

const programsExample = '{"runner:*":["node","/runner.ts"]}'

/** Command-line flag, as documented in `--help` and the README. */
interface Flag {
  type: 'string' | 'boolean'
  /** Placeholder of the value in the usage. */
  placeholder?: string
  default?: string
  description: string
}

/** Command-line flags of `sluice-cloud-sim`. */
export const flags = {
  port: {
    type: 'string',
    placeholder: '<number>',
    default: '4566',
    description: 'The port to listen on; 0 takes any free port.',
  },
  host: { type: 'string', placeholder: '<address>', default: '127.0.0.1', description: 'The address to listen on.' },
  state: {
    type: 'string',
    placeholder: '<file>',
    description:
      'The SQLite file that stores the state, for one process at a time. Without it, the state is lost at the end.',
  },
  speed: {
    type: 'string',
    placeholder: '<number>',
    default: '60',
    description: 'How many seconds of cloud time pass in a second.',
  },
  'clock-epoch': {
    type: 'string',
    placeholder: '<time>',
    description:
      'A time such as 2026-01-31T12:00:00Z. Timestamps advance at --speed from it. Without it, timestamps are real.',
  },
  seed: {
    type: 'string',
    placeholder: '<number>',
    description: 'Repeats the random choices of faults, deliveries and shuffled lists.',
  },
  'operator-secret': {
    type: 'string',
    placeholder: '<text>',
    description: "The operator's secret access key. Without it, the operator's signatures are not verified.",
  },
  programs: {
    type: 'string',
    placeholder: '<json>',
    default: '{}',
    description: `JSON: the program that tasks of an image run, by image pattern, such as ${programsExample}.`,
  },
  'check-answers': {
    type: 'boolean',
    description: 'Answers with an error where a response differs from the model of its service.',
  },
  'parent-pid': {
    type: 'string',
    placeholder: '<pid>',
    description: 'Ends the simulated cloud half a second after that process at the latest.',
  },
  help: { type: 'boolean', description: 'Prints this help.' },
  version: { type: 'boolean', description: 'Prints the version.' },
} as const satisfies Record<string, Flag>

/** Parsed command line: a text to print, or a simulated cloud to start. */
export type CommandLine = { text: string } | { options: SimOptions; seed?: number; parentPid?: number }

/** Error in the command line. Its message names the flag and its values. */
export class FlagError extends Error {}

/** Parses the command line. Throws a `FlagError` for an unknown flag or an invalid value. */
export function readCommandLine(args: string[]): CommandLine {
  const values = parse(args)
  if (values.help) return { text: help() }
  if (values.version) return { text: packageJson.version }
  const { state: stateFile = ':memory:', host, seed, 'clock-epoch': epoch, 'parent-pid': parentPid } = values
  const isComplete = Number.isSafeInteger
  const isPort = (port: number) => isComplete(port) && port >= 0 && port <= 65_535
  const isSpeed = (speed: number) => speed > 0 && speed <= maxSpeed
  return {
    options: {
      stateFile,
      host,
      port: checked('port', Number(values.port), isPort, 'a number from 0 to 65535'),
      speed: checked('speed', Number(values.speed), isSpeed, `a number above 0 and up to ${maxSpeed}`),
      ...(epoch !== undefined && {
        epochMs: checked('clock-epoch', Date.parse(epoch), isComplete, 'an ISO 8601 time'),
      }),
      operatorSecret: values['operator-secret'],
      programs: programTable(values.programs),
      checksAnswers: values['check-answers'] ?? false,
    },
    ...(seed !== undefined && { seed: checked('seed', Number(seed), isComplete, 'a whole number') }),
    ...(parentPid !== undefined && { parentPid: checked('parent-pid', Number(parentPid), isComplete, 'a process ID') }),
  }
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: flags }).values
  } catch (error) {
    throw new FlagError(`${(error as Error).message} Run sluice-cloud-sim --help for the flags.`)
  }
}

function checked(name: keyof typeof flags, value: number, isUsable: (value: number) => boolean, needed: string) {
  if (isUsable(value)) return value
  throw new FlagError(`Cannot use the value of --${name}: it must be ${needed}.`)
}

function programTable(text: string): ProgramTable {
  try {
    const table: unknown = JSON.parse(text)
    if (isProgramTable(table)) return table
  } catch {
    // Invalid JSON gets the error below.
  }
  throw new FlagError(`Cannot use the value of --programs: it must be JSON such as ${programsExample}.`)
}

const isProgramTable = (table: unknown): table is ProgramTable =>
  typeof table === 'object' &&
  table !== null &&
  Object.values(table).every((argv) => Array.isArray(argv) && argv.every((word) => typeof word === 'string'))

/** Returns the text of `--help`. */
function help(): string {
  const rows = Object.entries<Flag>(flags).map(([name, { placeholder, default: preset, description }]) => {
    const usual = preset === undefined ? '' : ` Default: ${preset}.`
    return `  --${[name, placeholder].filter(Boolean).join(' ')}\n      ${description}${usual}`
  })
  const start = 'Starts the simulated cloud. When it listens, it prints {"listening":"http://…"}. Ctrl-C ends it.'
  return ['Usage: sluice-cloud-sim [flags]', start, rows.join('\n')].join('\n\n')
}
