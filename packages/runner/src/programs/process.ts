import { spawn } from 'node:child_process'
import { accessSync, constants, mkdirSync, statSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { ProcessResult } from '../attempt.ts'
import { commandLineOf } from './command-line.ts'
import { type Detached, isForStarter, startDetached } from './starter.ts'
import { textIn } from './text-in.ts'

const wrapper = fileURLToPath(new URL('./child.sh', import.meta.url))

/** How long a program is given to end after each signal before the next, stronger one. Milliseconds. */
export type StopPace = { afterIntMs: number; afterTermMs: number }

/** An apply that was interrupted writes its state down before it ends, which may take a while. */
export const usualStopPace: StopPace = { afterIntMs: 30_000, afterTermMs: 10_000 }

/** How often a program is looked at that another process has started. Milliseconds. */
const lookMs = 100
/** And one that was started a moment ago, which is about to write down who it is. Milliseconds. */
const soonMs = 5

/** What is needed to start a program. Paths are absolute, that of the program too. */
export type Start = {
  argv: readonly [string, ...string[]]
  /** See `Wrapped`. */
  isScript?: true
  cwd: string
  /** All of its environment. */
  env: Record<string, string>
  /** Where its standard output and its errors are appended to; may be the same file. */
  output: string
  errors: string
}

/** The program is not there, or cannot be run. */
export class ProgramMissing extends Error {
  readonly program: string
  /** Where it is on this machine, when only its isolation keeps it from being found. */
  readonly unseen: string | undefined

  constructor(program: string, unseen?: string) {
    super(`there is no program ${program}`)
    this.program = program
    this.unseen = unseen
  }
}

/**
 * A program that outlives the process that started it. All there is to know of it is in its directory, so that any
 * later process finds it again: whether it was started, whether it runs, and how it ended.
 */
export class DetachedProcess {
  readonly #directory: string
  /** Settles when the wrapper that this process has started is gone. */
  #child: Promise<unknown> | undefined
  /** The wrapper was started here and is not gone: it is ours to stop before it has written down who it is. */
  #isOurs = false

  constructor(directory: string) {
    this.#directory = directory
  }

  /** Starts the program, unless it was started before; how, is only asked then. */
  async start(how: () => Promise<Start>): Promise<void> {
    if (this.#pid() !== undefined) return // it was started before
    const { argv, isScript, cwd, env, output, errors } = await how()
    mkdirSync(this.#directory, { recursive: true })
    const command = isScript ? argv.slice(1) : ['-', ...argv]
    const wrapped = { argv: ['/bin/sh', wrapper, this.#directory, output, errors, ...command], cwd, env }
    this.#isOurs = true
    this.#child = (isForStarter(wrapped) ? this.#startSmall(wrapped) : startHere(wrapped)).finally(() => {
      this.#isOurs = false
    })
    this.#child.catch(() => {}) // it is looked at in `ended`
  }

  async #startSmall(wrapped: Detached): Promise<void> {
    const status = await startDetached(wrapped)
    if (status !== undefined && this.#pid() === undefined) throw new Error(`it could not be started: status ${status}`)
  }

  /** Waits for the end of the program. Rejects when `left` is aborted: the program runs on, and nobody waits here. */
  async ended(left: AbortSignal): Promise<ProcessResult> {
    await Promise.race([this.#child, aborted(left)])
    for (;;) {
      const result = await this.result()
      if (result) return result
      await sleep(lookMs, undefined, { signal: left })
    }
  }

  /** How it ended; undefined while it runs. */
  async result(): Promise<ProcessResult | undefined> {
    const isRunning = await this.#isRunning()
    const text = textIn(join(this.#directory, 'exit'))
    if (text.endsWith('\n')) return { exitCode: Number(text) }
    // It had no time to write down how it ended: it was killed, or its machine went down.
    return isRunning ? undefined : { signal: 'SIGKILL' }
  }

  /** Ends the program and what it started: asks, insists, kills. */
  async stop({ afterIntMs, afterTermMs }: StopPace): Promise<void> {
    for (const [signal, waitMs] of [
      ['SIGINT', afterIntMs],
      ['SIGTERM', afterTermMs],
    ] as const) {
      if (!(await this.#signal(signal))) return
      if (await this.#isGoneWithin(waitMs)) return
    }
    await this.kill()
  }

  /** Ends it without asking. */
  async kill(): Promise<void> {
    await this.#signal('SIGKILL')
    await this.#isGoneWithin(Number.POSITIVE_INFINITY)
  }

  /** The id of the process that leads it; undefined where it is gone. */
  pid(): Promise<number | undefined> {
    return this.#livingPid()
  }

  async #isGoneWithin(ms: number): Promise<boolean> {
    const deadline = performance.now() + ms
    while (await this.#isRunning()) {
      if (performance.now() > deadline) return false
      await sleep(Math.min(lookMs, ms))
    }
    return true
  }

  /** False if it is gone already. */
  async #signal(signal: NodeJS.Signals): Promise<boolean> {
    const pid = await this.#livingPid()
    if (pid === undefined) return false
    try {
      process.kill(-pid, signal)
      return true
    } catch {
      return false // it has just ended
    }
  }

  async #isRunning(): Promise<boolean> {
    return (await this.#livingPid()) !== undefined
  }

  /**
   * The id of the process group, as long as its leader is there. Ids are given out again, so that of another is told.
   */
  async #livingPid(): Promise<number | undefined> {
    for (; this.#isOurs && this.#pid() === undefined; ) await sleep(soonMs)
    const pid = this.#pid()
    if (pid === undefined) return undefined
    return (await commandLineOf(pid)).includes(this.#directory) ? pid : undefined
  }

  #pid(): number | undefined {
    const text = textIn(join(this.#directory, 'pid'))
    return text.endsWith('\n') ? Number(text) : undefined
  }
}

/** Starts it from this very process: where there is nothing small that could. Settles when it is gone. */
function startHere({ argv: [program = '', ...args], cwd, env }: Detached): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  // It leads a group of its own, which no signal to ours reaches.
  const child = spawn(program, args, { cwd, env, detached: true, stdio: 'ignore' })
  child.unref()
  child.once('error', reject)
  child.once('exit', () => resolve())
  return promise
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.throwIfAborted()
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })

export type ProgramSearch = {
  cwd: string
  path: string
  /** Whether the program will be there once it is started. */
  sees: (file: string) => Promise<boolean>
}

/** The path of a program as a shell would find it, so that nothing is taken for one of the shell's own words. */
export async function findProgram(name: string, { cwd, path, sees }: ProgramSearch): Promise<string> {
  const places = name.includes('/') ? [cwd] : path.split(delimiter).map((place) => resolve(cwd, place))
  let unseen: string | undefined
  for (const place of places) {
    const file = resolve(place, name)
    if (!isProgram(file)) continue
    if (await sees(file)) return file
    unseen ??= file
  }
  throw new ProgramMissing(name, unseen)
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
