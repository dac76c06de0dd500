import { spawn } from 'node:child_process'
import { accessSync, constants, mkdirSync, statSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { ProcessResult } from '../attempt.ts'
import { readCommandLine } from './command-line.ts'
import { readText } from './read-text.ts'
import { canUseStarter, type DetachedCommand, startDetached } from './starter.ts'

const wrapper = fileURLToPath(new URL('./child.sh', import.meta.url))

/** How long to wait for the end of a program after SIGINT and SIGTERM, before the next, stronger signal. */
export type StopTimeouts = { afterIntMs: number; afterTermMs: number }

/** Long, because an interrupted apply stores its state before it ends. */
export const defaultStopTimeouts: StopTimeouts = { afterIntMs: 30_000, afterTermMs: 10_000 }

/** Interval at which a program of an earlier runner process is polled. */
const pollIntervalMs = 100
/** Poll interval right after a start, until the program has written its process ID. */
const startPollIntervalMs = 5

/** How to start a program. All paths are absolute. */
export type StartOptions = {
  argv: readonly [string, ...string[]]
  /** See `Wrapped`. */
  isScript?: true
  cwd: string
  /** The whole environment. */
  env: Record<string, string>
  /** Files to append standard output and standard error to. They may be the same file. */
  output: string
  errors: string
}

/** The program does not exist or is not executable. */
export class ProgramNotFound extends Error {
  readonly program: string
  /** Its path on this machine, if programs cannot see it because of the isolation. */
  readonly hiddenPath: string | undefined

  constructor(program: string, unseen?: string) {
    super(`program ${program} not found`)
    this.program = program
    this.hiddenPath = unseen
  }
}

/**
 * A program that outlives the runner process that started it. Its directory has all its records, so that any later
 * process can tell whether it was started, whether it runs, and how it ended.
 */
export class DetachedProcess {
  readonly #directory: string
  /** Settles when the wrapper that this process has started has exited. */
  #child: Promise<unknown> | undefined
  /**
   * Whether this process has started the wrapper, which is still running. If so, the wrapper can be stopped before it
   * has written its process ID.
   */
  #isStartedHere = false

  constructor(directory: string) {
    this.#directory = directory
  }

  /** Starts the program unless it was started before. Calls `how` only if needed. */
  async start(how: () => Promise<StartOptions>): Promise<void> {
    if (this.#pid() !== undefined) return // already started
    const { argv, isScript, cwd, env, output, errors } = await how()
    mkdirSync(this.#directory, { recursive: true })
    const command = isScript ? argv.slice(1) : ['-', ...argv]
    const wrapped = { argv: ['/bin/sh', wrapper, this.#directory, output, errors, ...command], cwd, env }
    this.#isStartedHere = true
    this.#child = (canUseStarter(wrapped) ? this.#startWithStarter(wrapped) : startDirectly(wrapped)).finally(() => {
      this.#isStartedHere = false
    })
    this.#child.catch(() => {}) // `waitForEnd` handles it
  }

  async #startWithStarter(wrapped: DetachedCommand): Promise<void> {
    const status = await startDetached(wrapped)
    if (status !== undefined && this.#pid() === undefined) throw new Error(`cannot start the program: status ${status}`)
  }

  /** Waits for the end of the program. Rejects when `left` is aborted; the program then keeps running. */
  async waitForEnd(left: AbortSignal): Promise<ProcessResult> {
    await Promise.race([this.#child, rejectOnAbort(left)])
    for (;;) {
      const result = await this.result()
      if (result) return result
      await sleep(pollIntervalMs, undefined, { signal: left })
    }
  }

  /** Returns how the program ended; undefined while it runs. */
  async result(): Promise<ProcessResult | undefined> {
    const isRunning = await this.#isRunning()
    const text = readText(join(this.#directory, 'exit'))
    if (text.endsWith('\n')) return { exitCode: Number(text) }
    // Without an exit code the program was killed or its machine stopped.
    return isRunning ? undefined : { signal: 'SIGKILL' }
  }

  /** Stops the program and its children with SIGINT, SIGTERM and SIGKILL. */
  async stop({ afterIntMs, afterTermMs }: StopTimeouts): Promise<void> {
    for (const [signal, waitMs] of [
      ['SIGINT', afterIntMs],
      ['SIGTERM', afterTermMs],
    ] as const) {
      if (!(await this.#signal(signal))) return
      if (await this.#exitsWithin(waitMs)) return
    }
    await this.kill()
  }

  /** Kills the program and its children. */
  async kill(): Promise<void> {
    await this.#signal('SIGKILL')
    await this.#exitsWithin(Number.POSITIVE_INFINITY)
  }

  /** Returns the ID of the leading process; undefined if it has exited. */
  pid(): Promise<number | undefined> {
    return this.#findPid()
  }

  async #exitsWithin(ms: number): Promise<boolean> {
    const deadline = performance.now() + ms
    while (await this.#isRunning()) {
      if (performance.now() > deadline) return false
      await sleep(Math.min(pollIntervalMs, ms))
    }
    return true
  }

  /** Signals the process group; returns false if it has exited. */
  async #signal(signal: NodeJS.Signals): Promise<boolean> {
    const pid = await this.#findPid()
    if (pid === undefined) return false
    try {
      process.kill(-pid, signal)
      return true
    } catch {
      return false // it has just exited
    }
  }

  async #isRunning(): Promise<boolean> {
    return (await this.#findPid()) !== undefined
  }

  /** Returns the ID of the process group while its leader runs. Checks the command line, because IDs are reused. */
  async #findPid(): Promise<number | undefined> {
    for (; this.#isStartedHere && this.#pid() === undefined; ) await sleep(startPollIntervalMs)
    const pid = this.#pid()
    if (pid === undefined) return undefined
    return (await readCommandLine(pid)).includes(this.#directory) ? pid : undefined
  }

  #pid(): number | undefined {
    const text = readText(join(this.#directory, 'pid'))
    return text.endsWith('\n') ? Number(text) : undefined
  }
}

/** Starts a command directly from this process, if the starter cannot. Settles when it has exited. */
function startDirectly({ argv: [program = '', ...args], cwd, env }: DetachedCommand): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  // Detached: it leads its own process group, so that signals to the runner's group do not reach it.
  const child = spawn(program, args, { cwd, env, detached: true, stdio: 'ignore' })
  child.unref()
  child.once('error', reject)
  child.once('exit', () => resolve())
  return promise
}

const rejectOnAbort = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.throwIfAborted()
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })

export type ProgramSearch = {
  cwd: string
  path: string
  /** Returns whether the started program will be able to see the file. */
  isVisible: (file: string) => Promise<boolean>
}

/** Returns the path of a program as a shell would find it, so that a name is never taken for a shell built-in. */
export async function findProgram(name: string, { cwd, path, isVisible }: ProgramSearch): Promise<string> {
  const places = name.includes('/') ? [cwd] : path.split(delimiter).map((place) => resolve(cwd, place))
  let unseen: string | undefined
  for (const place of places) {
    const file = resolve(place, name)
    if (!isProgram(file)) continue
    if (await isVisible(file)) return file
    unseen ??= file
  }
  throw new ProgramNotFound(name, unseen)
}

function isProgram(file: string): boolean {
  try {
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return false
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
