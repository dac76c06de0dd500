import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { getCompileCacheDir } from 'node:module'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'

export interface SpawnOptions {
  /** The file that stores the state, also after `stop`. By default, the state is lost at the end. */
  stateFile?: string
  /** 0, the default, takes any free port. */
  port?: number
  host?: string
  /** How many cloud seconds pass in a second; default 60. */
  speed?: number
  /** Since when timestamps run at that speed as well; without it they are real. */
  clockEpoch?: Date
  /** The secret access key of the operator, whose signatures are then verified as everybody's. */
  operatorSecret?: string
  /** Images whose tasks are processes on this machine, and their programs: `{ 'runner:*': ['node', …] }`. */
  programs?: Record<string, string[]>
  /** Repeats the chance of faults and of deliveries; random by default. */
  seed?: number
  /** An answer that is not as the model of its service says becomes an error, and is told on stderr. */
  checksAnswers?: boolean
  /** The simulated cloud ends itself when this process dies; default: this process. */
  parentPid?: number
}

export interface RunningSim {
  url: string
  pid: number
  stop(): Promise<void>
}

const stopPatienceMs = 2_000

/** Starts a simulated cloud in its own process; resolves once it listens, rejects with what it said if it does not. */
export async function spawnCloudSim(options: SpawnOptions = {}): Promise<RunningSim> {
  const {
    stateFile = ':memory:',
    port = 0,
    host = '127.0.0.1',
    speed = 60,
    clockEpoch,
    operatorSecret,
    programs = {},
    seed,
    checksAnswers = false,
    parentPid = process.pid,
  } = options
  const main = fileURLToPath(new URL('./main.ts', import.meta.url))
  const secret = operatorSecret === undefined ? {} : { 'operator-secret': operatorSecret }
  const settings = {
    state: stateFile,
    port,
    host,
    speed,
    ...secret,
    ...(seed !== undefined && { seed }),
    ...(clockEpoch && { 'clock-epoch': clockEpoch.toISOString() }),
    programs: JSON.stringify(programs),
    'parent-pid': parentPid,
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)])
  if (checksAnswers) flags.push('--check-answers')
  const child = spawn(process.execPath, [main, ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_COMPILE_CACHE: getCompileCacheDir() },
    // A Ctrl-C at the terminal is not for it: whoever started it stops it, after what still speaks to it.
    detached: true,
  })
  const url = await listening(child.stdout)
  const { pid } = child
  if (pid === undefined) throw new Error('The simulated cloud could not be started.')
  return { url, pid, stop: () => stop(child) }
}

async function listening(stdout: Readable): Promise<string> {
  for await (const line of createInterface({ input: stdout })) {
    const { listening } = JSON.parse(line) as { listening?: string }
    if (listening) return listening
  }
  throw new Error('The simulated cloud ended before it listened.')
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const lastResort = setTimeout(() => child.kill('SIGKILL'), stopPatienceMs)
  await ended
  clearTimeout(lastResort)
}
