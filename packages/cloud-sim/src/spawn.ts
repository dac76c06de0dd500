import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { getCompileCacheDir } from 'node:module'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'

export interface SpawnOptions {
  /** State file, which remains after `stop`. By default, the state is in memory. */
  stateFile?: string
  /** Port; 0, the default, selects a free one. */
  port?: number
  host?: string
  /** Cloud seconds per real second; default 60. */
  speed?: number
  /** Start time of timestamps that run at `speed`; by default they are real. */
  clockEpoch?: Date
  /** Secret access key of the operator, whose signatures are then verified. */
  operatorSecret?: string
  /** Images whose tasks are local processes, with their programs: `{ 'runner:*': ['node', …] }`. */
  programs?: Record<string, string[]>
  /** Seed that reproduces random faults and deliveries; random by default. */
  seed?: number
  /** Turns responses that violate their service's model into errors, which are printed to stderr. */
  checksAnswers?: boolean
  /** Process with which the simulated cloud ends; by default this process. */
  parentPid?: number
}

export interface RunningSim {
  url: string
  pid: number
  stop(): Promise<void>
}

const stopPatienceMs = 2_000

/** Starts a simulated cloud in its own process. Resolves once it listens, or rejects with its output. */
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
    // In its own process group, so that Ctrl-C does not end it before the programs that use it.
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
