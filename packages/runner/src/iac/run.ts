import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PlanWish } from '@sluice/contract/runner-protocol'
import type { Attempt, ProcessResult } from '../attempt.ts'
import { createTurns } from '../sources/one-at-a-time.ts'
import { initInJson } from './environment.ts'
import { readLine, type ToolEvent } from './messages.ts'
import type { Tool } from './tool.ts'

/** A folder with a configuration, and how the tool runs there. */
export type Workplace = {
  tool: Tool
  /** Where the configuration is. */
  directory: string
  env: Record<string, string>
  attempt: Pick<Attempt, 'directory' | 'process' | 'signal'>
  /** Hears of every event as it comes, for progress. */
  hear(event: ToolEvent): void
}

/** How a program ended, and all that it told: after a restart its lines are all read again. */
export type Ran = { result: ProcessResult; events: ToolEvent[] }

export const hasSucceeded = ({ result }: Ran): boolean => 'exitCode' in result && result.exitCode === 0

/** What the tool leaves behind when it could not hand in a state. */
export const leftoverState = 'errored.tfstate'

/** The tool's own name of the file is taken in every folder, and a file named so changes what others have set. */
const backendFile = 'sluice_override.tf.json'

const oneByOne = createTurns()

/**
 * Prepares the folder. Without `keepsOwnBackend` the state is kept by us: the file has no more in it than that, the
 * rest is in the environment. Plug-ins go through a cache that must not be written by two at once.
 */
export async function init(
  place: Workplace,
  { keepsOwnBackend, lockFile }: { keepsOwnBackend: boolean; lockFile?: string | undefined },
): Promise<Ran> {
  const { directory, env, tool } = place
  if (!keepsOwnBackend) {
    await writeFile(join(directory, backendFile), JSON.stringify({ terraform: { backend: { http: {} } } }))
  }
  if (lockFile !== undefined) await writeFile(join(directory, lockFileName), lockFile)
  const cache = env.TF_PLUGIN_CACHE_DIR ?? ''
  await mkdir(cache, { recursive: true, mode: 0o700 })
  const options = ['-input=false', '-no-color', ...(initInJson(tool) ? ['-json'] : [])]
  return oneByOne(cache, () => run(place, 'init', ['init', ...options]))
}

const lockFileName = '.terraform.lock.hcl'

/** The lock file of the plug-ins that `init` has settled on; undefined where there are none to lock. */
export const lockFileIn = (directory: string): Promise<string | undefined> =>
  readFile(join(directory, lockFileName), 'utf8').catch(() => undefined)

/** Where a plan is left. */
export const planFile = (directory: string): string => join(directory, 'sluice.plan')

export type PlanMode = keyof typeof modes

export async function plan(place: Workplace, mode: PlanMode, wish: PlanWish): Promise<Ran> {
  const values = join(place.attempt.directory, 'variables.tfvars.json')
  await writeFile(values, JSON.stringify(wish.variables), { mode: 0o600 })
  const ran = await run(place, 'plan', [
    'plan',
    '-json',
    '-input=false',
    `-out=${planFile(place.directory)}`,
    ...modes[mode],
    ...wish.targets.map((target) => `-target=${target}`),
    ...wish.variableFiles.map((file) => `-var-file=${file}`),
    ...(Object.keys(wish.variables).length > 0 ? [`-var-file=${values}`] : []),
  ])
  await rm(values, { force: true })
  return ran
}

const modes = { PLAN: [], DESTROY: ['-destroy'], DRIFT: ['-refresh-only'] } as const

/** What is in the plan, in JSON; undefined where it cannot be shown. */
export const showPlan = (place: Workplace): Promise<string | undefined> =>
  readsInto(place, 'show', 'plan.json', ['show', '-json', planFile(place.directory)])

/** The state as the configuration's own backend keeps it, in the form of the state file. */
export const pullState = (place: Workplace): Promise<string | undefined> =>
  readsInto(place, 'state', 'state.json', ['state', 'pull'])

/** Into a file: a line of a hundred megabytes, with secrets in it, is nothing for a log. */
async function readsInto(
  { tool, directory, env, attempt }: Workplace,
  name: string,
  stdout: string,
  args: string[],
): Promise<string | undefined> {
  const file = join(attempt.directory, stdout)
  const result = await attempt.process(name, { argv: [tool.path, ...args], cwd: directory, env, stdout })
  return 'exitCode' in result && result.exitCode === 0 ? readFile(file, 'utf8') : undefined
}

/** Applies the plan that lies in the folder, and nothing else. */
export const apply = (place: Workplace): Promise<Ran> =>
  run(place, 'apply', ['apply', '-json', '-input=false', planFile(place.directory)])

async function run({ tool, directory, env, attempt, hear }: Workplace, name: string, args: string[]): Promise<Ran> {
  const events: ToolEvent[] = []
  const result = await attempt.process(name, {
    argv: [tool.path, ...args],
    cwd: directory,
    env,
    onLine(text) {
      const { line, event } = readLine(text)
      if (event) {
        events.push(event)
        hear(event)
      }
      return line
    },
  })
  return { result, events }
}
