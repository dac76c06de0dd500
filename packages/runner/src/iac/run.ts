import { rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { documentBounds, findExcess } from '@sluice/contract/bounded-json'
import type { PlanWish, ReportedWarning, VariableInputs } from '@sluice/contract/runner-protocol'
import type { Attempt, ProcessResult } from '../attempt.ts'
import { StepFailure } from '../failure.ts'
import type { Result } from '../isolation/isolation.ts'
import { useOurBackend } from './backend.ts'
import { readLine, readPlainError, type ToolEvent } from './messages.ts'
import { hasEphemeralVariables, reportsInitInJson, type Tool } from './tool.ts'
import { ToolEvents } from './tool-events.ts'
import { Warnings } from './warnings.ts'

/** A folder with a configuration, and how the tool runs there. */
export type Workplace = {
  tool: Tool
  /** Where the configuration is. */
  directory: string
  env: Record<string, string>
  mostPlanBytes: number
  /** What the tool reads beside the system's and the attempt's files. */
  readOnly: readonly string[]
  attempt: Pick<Attempt, 'directory' | 'folders' | 'log' | 'process' | 'stdoutOf' | 'result'>
  /** Hears of every event as it comes, for progress. */
  hear(event: ToolEvent): void
}

/** How a program ended, and what it told: after a restart its lines are all read again. */
export type Ran = { result: ProcessResult; events: ToolEvent[]; warnings: ReportedWarning[] }

export const hasSucceeded = ({ result }: Ran): boolean => 'exitCode' in result && result.exitCode === 0

/** As much as the API takes with the report of an apply, in base64. */
const maxStateBytes = 64 * 1024 * 1024
/** A hundred plug-ins have some 200 KiB. */
const maxLockFileBytes = 1024 * 1024

const lockFileName = '.terraform.lock.hcl'

/** Puts into the folder what is ours there, before the tool has run in it. */
export async function complete(
  directory: string,
  { keepsOwnBackend, lockFile }: { keepsOwnBackend: boolean; lockFile?: string | undefined },
): Promise<void> {
  if (!keepsOwnBackend) await useOurBackend(directory)
  if (lockFile !== undefined) await writeFile(join(directory, lockFileName), lockFile)
}

/** Prepares the folder: fetches modules, plug-ins and the state. */
export function init(place: Workplace): Promise<Ran> {
  return run(place, 'init', ['init', '-input=false', '-no-color', ...(reportsInitInJson(place.tool) ? ['-json'] : [])])
}

/** The lock file of the plug-ins; undefined where there are none to lock. */
export const lockFileIn = async (place: Place): Promise<string | undefined> =>
  contentOf(await readsIn(place, lockFileName, maxLockFileBytes))?.toString()

/** What the tool leaves behind when it could not hand in a state. */
export const leftoverStateIn = async (place: Workplace): Promise<Buffer | undefined> =>
  contentOf(await readsIn(place, 'errored.tfstate', maxStateBytes))

type Place = Pick<Workplace, 'directory'> & { attempt: Pick<Attempt, 'directory' | 'result'> }

const readsIn = ({ attempt, directory }: Place, name: string, maxBytes: number): Promise<Result> =>
  attempt.result(join(relative(attempt.directory, directory), name), maxBytes)

/** A link, or something of any size, is as good as nothing. */
const contentOf = (result: Result): Buffer | undefined => (result && 'content' in result ? result.content : undefined)

const planName = 'sluice.plan'

/** Where the tool leaves a plan. */
const madePlan = ({ attempt }: Pick<Workplace, 'attempt'>): string => join(attempt.directory, planName)

/** The plan that the tool has left. */
export const madePlanOf = async ({ attempt, mostPlanBytes: most }: Workplace): Promise<Buffer | undefined> =>
  contentOf(await attempt.result(planName, most))

/** Puts a plan of an earlier attempt where the tool finds it. */
export async function givePlan({ attempt }: Workplace, plan: Buffer): Promise<string> {
  const file = join(attempt.folders.given, planName)
  await writeFile(file, plan, { mode: 0o644 })
  return file
}

export type PlanMode = keyof typeof modes

export function plan(place: Workplace, mode: PlanMode, wish: PlanWish): Promise<Ran> {
  return withVariables(place, wish, (options) =>
    run(place, 'plan', [
      'plan',
      '-json',
      '-input=false',
      `-out=${madePlan(place)}`,
      ...modes[mode],
      ...wish.targets.map((target) => `-target=${target}`),
      ...options,
    ]),
  )
}

/** Runs the tool with these values; their file is gone once it has ended. */
async function withVariables(
  { attempt }: Workplace,
  { variables, variableFiles }: VariableInputs,
  work: (options: string[]) => Promise<Ran>,
): Promise<Ran> {
  const values = join(attempt.folders.given, 'variables.tfvars.json')
  await writeFile(values, JSON.stringify(variables), { mode: 0o644 })
  const files = [...variableFiles, ...(Object.keys(variables).length > 0 ? [values] : [])]
  const ran = await work(files.map((file) => `-var-file=${file}`))
  await rm(values, { force: true })
  return ran
}

const modes = { PLAN: [], DESTROY: ['-destroy'], DRIFT: ['-refresh-only'] } as const

/** The API takes as much beside a state in base64. */
const maxShownStateBytes = 8 * 1024 * 1024

/** Returns the state in JSON, with marks for sensitive values; undefined if it cannot be shown or is too large. */
export const showState = (place: Workplace): Promise<string | undefined> =>
  readAfterApply(place, async () => {
    const shown = await resultOf(place, 'show-state', ['show', '-json'], maxShownStateBytes)
    const text = contentOf(shown)?.toString().trim()
    return text === undefined || findExcess(text, documentBounds) !== undefined ? undefined : text
  })

/**
 * Reads the state after an apply. Whatever prevents that, such as a cancellation or a limit, must not lose the result
 * of the apply: the state is then undefined.
 */
async function readAfterApply(
  { attempt }: Workplace,
  read: () => Promise<string | undefined>,
): Promise<string | undefined> {
  try {
    return await read()
  } catch (error) {
    attempt.log(`Sluice could not read the state after the apply: ${error instanceof Error ? error.message : error}`)
    return undefined
  }
}

/** What is in the plan, in JSON; undefined where it cannot be shown. */
export async function showPlan(place: Workplace): Promise<string | undefined> {
  const shown = await printedBy(place, 'show', ['show', '-json', madePlan(place)], place.mostPlanBytes)
  const excess = shown === undefined ? undefined : findExcess(shown, documentBounds)
  if (excess !== undefined) throw tooLarge(excess)
  return shown
}

/** Returns the state in the configuration's own backend, in the form of the state file; undefined if it is not read. */
export const pullState = (place: Workplace): Promise<string | undefined> =>
  readAfterApply(place, () => printedBy(place, 'state', ['state', 'pull'], maxStateBytes))

async function printedBy(place: Workplace, name: string, args: string[], most: number): Promise<string | undefined> {
  const printed = await resultOf(place, name, args, most)
  if (printed && 'refused' in printed) throw tooLarge(printed.refused)
  return contentOf(printed)?.toString()
}

/** A line of a hundred megabytes, with secrets in it, is nothing for a log. */
async function resultOf(
  { tool, directory, env, readOnly, attempt }: Workplace,
  name: string,
  args: string[],
  most: number,
): Promise<Result> {
  const command = { argv: [tool.path, ...args] as const, cwd: directory, env, readOnly, keepsStdout: true } as const
  const ended = await attempt.process(name, command)
  const hasPrinted = 'exitCode' in ended && ended.exitCode === 0
  return hasPrinted ? attempt.stdoutOf(name, most) : undefined
}

const tooLarge = (why: string) =>
  new StepFailure('iacPlanFailed', `What the tool shows of the plan is not read: ${why}.`, {
    description: 'Split the stack into smaller ones, or take large files out of its inputs.',
  })

/**
 * Applies the plan of this file, or that which this attempt has made, and nothing else. The values are those of the
 * plan, and of its ephemeral variables, which the file does not contain.
 */
export function apply(
  place: Workplace,
  { plan = madePlan(place), inputs }: { plan?: string | undefined; inputs: VariableInputs },
): Promise<Ran> {
  const given = hasEphemeralVariables(place.tool) ? inputs : { variables: {}, variableFiles: [] }
  return withVariables(place, given, (options) =>
    run(place, 'apply', ['apply', '-json', '-input=false', ...options, plan]),
  )
}

function plainError(line: string): ToolEvent | undefined {
  const diagnostic = readPlainError(line)
  return diagnostic && { kind: 'error', diagnostic }
}

async function run(place: Workplace, name: string, args: string[]): Promise<Ran> {
  const { tool, directory, env, readOnly, attempt, hear } = place
  const events = new ToolEvents()
  const warnings = new Warnings()
  const result = await attempt.process(name, {
    argv: [tool.path, ...args],
    cwd: directory,
    env,
    readOnly,
    onLine(text) {
      const { line, event = name === 'init' ? plainError(text) : undefined, warning } = readLine(text)
      if (warning) warnings.add(warning)
      if (event) {
        events.add(event)
        hear(event)
      }
      return line
    },
  })
  return { result, events: events.kept, warnings: warnings.kept }
}
