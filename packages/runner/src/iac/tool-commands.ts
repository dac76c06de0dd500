import { rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { documentBounds, findExcess } from '@sluice/contract/bounded-json'
import type { PlanRequest, ReportedWarning, VariableInputs } from '@sluice/contract/runner-protocol'
import type { Attempt, ProcessResult } from '../attempt.ts'
import { StepFailure } from '../failure.ts'
import type { Result } from '../isolation/isolation.ts'
import { writeBackendOverride } from './backend.ts'
import { parseLine, parsePlainError, type ToolEvent } from './messages.ts'
import { hasEphemeralVariables, reportsInitInJson, type Tool } from './tool.ts'
import { ToolEvents } from './tool-events.ts'
import { Warnings } from './warnings.ts'

/** A folder with a configuration, and how to run the tool there. */
export type ToolContext = {
  tool: Tool
  /** Folder of the configuration. */
  directory: string
  env: Record<string, string>
  maxPlanBytes: number
  /** Paths that the tool can read in addition to the system's and the attempt's files. */
  readOnly: readonly string[]
  attempt: Pick<Attempt, 'directory' | 'folders' | 'log' | 'runProgram' | 'readStdout' | 'readResult'>
  /** Receives every event at once, for the progress. */
  onEvent(event: ToolEvent): void
}

/** How a run of the tool ended, and its events. After a restart all lines are read again. */
export type ToolRun = { result: ProcessResult; events: ToolEvent[]; warnings: ReportedWarning[] }

export const hasSucceeded = ({ result }: ToolRun): boolean => 'exitCode' in result && result.exitCode === 0

/** Maximum state in an apply report, before base64. */
const maxStateBytes = 64 * 1024 * 1024
/** Generous: the lock file of a hundred plugins has about 200 KiB. */
const maxLockFileBytes = 1024 * 1024

const lockFileName = '.terraform.lock.hcl'

/** Writes the files of Sluice into the folder. Call it before the tool has run there. */
export async function writeSluiceFiles(
  directory: string,
  { keepsOwnBackend, lockFile }: { keepsOwnBackend: boolean; lockFile?: string | undefined },
): Promise<void> {
  if (!keepsOwnBackend) await writeBackendOverride(directory)
  if (lockFile !== undefined) await writeFile(join(directory, lockFileName), lockFile)
}

/** Runs `init`, which fetches modules, plugins and the state. */
export function init(place: ToolContext): Promise<ToolRun> {
  return runTool(place, 'init', [
    'init',
    '-input=false',
    '-no-color',
    ...(reportsInitInJson(place.tool) ? ['-json'] : []),
  ])
}

/** Returns the lock file; undefined if there is none. */
export const readLockFile = async (place: ConfigurationFolder): Promise<string | undefined> =>
  getContent(await readFile(place, lockFileName, maxLockFileBytes))?.toString()

/** Returns the state file that the tool leaves if it could not store a state. */
export const readLeftoverState = async (place: ToolContext): Promise<Buffer | undefined> =>
  getContent(await readFile(place, 'errored.tfstate', maxStateBytes))

type ConfigurationFolder = Pick<ToolContext, 'directory'> & { attempt: Pick<Attempt, 'directory' | 'readResult'> }

const readFile = ({ attempt, directory }: ConfigurationFolder, name: string, maxBytes: number): Promise<Result> =>
  attempt.readResult(join(relative(attempt.directory, directory), name), maxBytes)

/** Returns the content; undefined for links and files that are too large. */
const getContent = (result: Result): Buffer | undefined => (result && 'content' in result ? result.content : undefined)

const planName = 'sluice.plan'

/** Returns the path where the tool writes a plan. */
const planPathOf = ({ attempt }: Pick<ToolContext, 'attempt'>): string => join(attempt.directory, planName)

/** Returns the plan that the tool has written. */
export const readPlan = async ({ attempt, maxPlanBytes: most }: ToolContext): Promise<Buffer | undefined> =>
  getContent(await attempt.readResult(planName, most))

/** Writes the plan of an earlier attempt to a file that the tool can read. */
export async function writePlan({ attempt }: ToolContext, plan: Buffer): Promise<string> {
  const file = join(attempt.folders.inputs, planName)
  await writeFile(file, plan, { mode: 0o644 })
  return file
}

export type PlanMode = keyof typeof modes

export function plan(place: ToolContext, mode: PlanMode, wish: PlanRequest): Promise<ToolRun> {
  return withVariables(place, wish, (options) =>
    runTool(place, 'plan', [
      'plan',
      '-json',
      '-input=false',
      `-out=${planPathOf(place)}`,
      ...modes[mode],
      ...wish.targets.map((target) => `-target=${target}`),
      ...options,
    ]),
  )
}

/** Runs the tool with variables in a file, which is removed afterwards. */
async function withVariables(
  { attempt }: ToolContext,
  { variables, variableFiles }: VariableInputs,
  work: (options: string[]) => Promise<ToolRun>,
): Promise<ToolRun> {
  const values = join(attempt.folders.inputs, 'variables.tfvars.json')
  await writeFile(values, JSON.stringify(variables), { mode: 0o644 })
  const files = [...variableFiles, ...(Object.keys(variables).length > 0 ? [values] : [])]
  const ran = await work(files.map((file) => `-var-file=${file}`))
  await rm(values, { force: true })
  return ran
}

const modes = { PLAN: [], DESTROY: ['-destroy'], DRIFT: ['-refresh-only'] } as const

/** Maximum that the API accepts in addition to a state in base64. */
const maxShownStateBytes = 8 * 1024 * 1024

/** Returns the state as JSON with sensitive values marked; undefined if it cannot be read or is too large. */
export const showState = (place: ToolContext): Promise<string | undefined> =>
  readAfterApply(place, async () => {
    const shown = await runForOutput(place, 'show-state', ['show', '-json'], maxShownStateBytes)
    const text = getContent(shown)?.toString().trim()
    return text === undefined || findExcess(text, documentBounds) !== undefined ? undefined : text
  })

/**
 * Reads the state after an apply. Returns undefined on failure, such as a cancellation or a limit, because the result
 * of the apply must be reported in any case.
 */
async function readAfterApply(
  { attempt }: ToolContext,
  read: () => Promise<string | undefined>,
): Promise<string | undefined> {
  try {
    return await read()
  } catch (error) {
    attempt.log(`Cannot read the state after the apply: ${error instanceof Error ? error.message : error}`)
    return undefined
  }
}

/** Returns the plan as JSON; undefined if the tool cannot show it. */
export async function showPlan(place: ToolContext): Promise<string | undefined> {
  const shown = await captureOutput(place, 'show', ['show', '-json', planPathOf(place)], place.maxPlanBytes)
  const excess = shown === undefined ? undefined : findExcess(shown, documentBounds)
  if (excess !== undefined) throw createPlanTooLargeError(excess)
  return shown
}

/** Returns the state file from the configuration's own backend; undefined if it cannot be read. */
export const pullState = (place: ToolContext): Promise<string | undefined> =>
  readAfterApply(place, () => captureOutput(place, 'state', ['state', 'pull'], maxStateBytes))

async function captureOutput(
  place: ToolContext,
  name: string,
  args: string[],
  most: number,
): Promise<string | undefined> {
  const printed = await runForOutput(place, name, args, most)
  if (printed && 'refused' in printed) throw createPlanTooLargeError(printed.refused)
  return getContent(printed)?.toString()
}

/** Runs the tool and returns its output, which is not logged: it can have 100 MB and contain secrets. */
async function runForOutput(
  { tool, directory, env, readOnly, attempt }: ToolContext,
  name: string,
  args: string[],
  most: number,
): Promise<Result> {
  const command = { argv: [tool.path, ...args] as const, cwd: directory, env, readOnly, capturesStdout: true } as const
  const ended = await attempt.runProgram(name, command)
  const hasPrinted = 'exitCode' in ended && ended.exitCode === 0
  return hasPrinted ? attempt.readStdout(name, most) : undefined
}

const createPlanTooLargeError = (why: string) =>
  new StepFailure('iacPlanFailed', `Cannot read the plan: ${why}.`, {
    description: 'Split the stack into smaller ones, or remove large files from its inputs.',
  })

/**
 * Applies the plan in a file, by default the one of this attempt. `inputs` are the values of the plan; the tool needs
 * them for ephemeral variables, which a plan file does not contain.
 */
export function apply(
  place: ToolContext,
  { plan = planPathOf(place), inputs }: { plan?: string | undefined; inputs: VariableInputs },
): Promise<ToolRun> {
  const given = hasEphemeralVariables(place.tool) ? inputs : { variables: {}, variableFiles: [] }
  return withVariables(place, given, (options) =>
    runTool(place, 'apply', ['apply', '-json', '-input=false', ...options, plan]),
  )
}

function parseErrorEvent(line: string): ToolEvent | undefined {
  const diagnostic = parsePlainError(line)
  return diagnostic && { kind: 'error', diagnostic }
}

async function runTool(place: ToolContext, name: string, args: string[]): Promise<ToolRun> {
  const { tool, directory, env, readOnly, attempt, onEvent } = place
  const events = new ToolEvents()
  const warnings = new Warnings()
  const result = await attempt.runProgram(name, {
    argv: [tool.path, ...args],
    cwd: directory,
    env,
    readOnly,
    onLine(text) {
      const { line, event = name === 'init' ? parseErrorEvent(text) : undefined, warning } = parseLine(text)
      if (warning) warnings.add(warning)
      if (event) {
        events.add(event)
        onEvent(event)
      }
      return line
    },
  })
  return { result, events: events.list, warnings: warnings.list }
}
