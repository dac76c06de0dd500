import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { reportFatalError } from './fatal-error.ts'
import { withProgressLimit } from './progress.ts'

/** Program with its arguments and environment. */
export type Program = {
  command: string
  args: string[]
  env: Record<string, string>
  /** Log file that all runs of the program append to. */
  logFile: string
  options?: Pick<SpawnOptions, 'cwd' | 'uid' | 'gid' | 'detached'>
  /** Whether it reports over its channel when it is ready. Otherwise it is ready as soon as it runs. */
  saysReady?: boolean
  /** Whether it restarts after each exit, like under systemd or Kubernetes. */
  isKept?: boolean
  /** Whether the owner handles exits. By default, an exit that the test did not request fails the test. */
  mayExit?: boolean
}

type Run = { child: ChildProcess; ready: Promise<void>; exited: Promise<void>; failure?: ProgramExitError }

/** Minimum delay of a restart, in milliseconds. */
const restartMs = 500

/** Maximum number of log lines in an error about a program. */
const maxQuotedLines = 20

/** Exit of a program that the test did not request. */
export class ProgramExitError extends Error {
  override name = 'ProgramExitError'

  constructor(how: string, logFile: string) {
    super(`A program exited: ${how}. The end of its log (${logFile}):\n${tailOf(logFile)}`)
  }
}

/** Process that tests kill, freeze and start again. */
export class ProgramProcess {
  /** Unexpected exits, such as a failed start or a crash. */
  readonly ownEnds: string[] = []
  kills = 0
  readonly program: Program
  #run: Run | undefined
  #isEndWanted = false
  #isStopped = false
  #isRetired = false

  constructor(program: Program) {
    this.program = program
  }

  get logFile(): string {
    return this.program.logFile
  }

  get pid(): number | undefined {
    return this.#run?.child.pid
  }

  /** Starts the program with additional settings for this run. */
  start(more: Record<string, string> = {}): void {
    if (this.#isRetired) return
    const { command, args, env, logFile, options, saysReady, isKept } = this.program
    const log = openSync(logFile, 'a')
    const child = spawn(command, args, {
      ...options,
      env: { PATH: process.env.PATH, ...env, ...more },
      stdio: ['ignore', log, log, ...(saysReady ? (['ipc'] as const) : [])],
    })
    closeSync(log)
    this.#isEndWanted = false
    this.#isStopped = false
    let isReady = false
    const ready = new Promise<void>((resolve) => {
      child.once(saysReady ? 'message' : 'spawn', () => {
        isReady = true
        resolve()
      })
    })
    const end = (how: string) => {
      const when = saysReady && !isReady ? 'before it was ready' : 'when it ran'
      if (!this.#isEndWanted) this.#reportExit(run, `${how}, ${when}`)
      if (isKept) void sleep(restartMs).then(() => this.#isStopped || this.#run !== run || this.start(more))
    }
    const exited = new Promise<void>((resolve) => {
      child.once('error', (error) => resolve(end(error.message))) // the program could not be spawned
      child.once('exit', (code, signal) => resolve(end(`exit code ${code}, signal ${signal}`)))
    })
    const run: Run = { child, ready, exited }
    this.#run = run
  }

  /** Waits until it is ready. Returns if the test kills it first, and throws if it exits unexpectedly. */
  async ready(): Promise<void> {
    const run = this.#running()
    await this.#limited('be ready', Promise.race([run.ready, run.exited]))
    if (run.failure) throw run.failure
  }

  /** Kills the process. The signal is sent before this returns to its caller. */
  async kill(): Promise<void> {
    this.kills += 1
    await this.#end('SIGKILL')
  }

  /** Prevents further starts, which unfinished work of a failed test could request. */
  retire(): void {
    this.#isRetired = true
  }

  freeze(): void {
    this.#running().child.kill('SIGSTOP')
  }

  thaw(): void {
    this.#running().child.kill('SIGCONT')
  }

  /** Stops it gracefully. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#end('SIGTERM')
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const { child, exited } = this.#running()
    this.#isEndWanted = true
    child.kill(signal)
    await this.#limited(`exit after ${signal}`, exited)
  }

  #limited(what: string, promise: Promise<void>): Promise<void> {
    const { logFile } = this
    return withProgressLimit(`the program of ${logFile} to ${what}`, promise, { lastSeen: () => tailOf(logFile) })
  }

  #reportExit(run: Run, how: string): void {
    this.ownEnds.push(how)
    if (this.program.isKept || this.program.mayExit) return
    run.failure = new ProgramExitError(how, this.logFile)
    reportFatalError(run.failure)
  }

  #running(): Run {
    if (!this.#run) throw new Error('the program was not started yet')
    return this.#run
  }
}

function tailOf(logFile: string): string {
  return readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-maxQuotedLines).join('\n')
}
