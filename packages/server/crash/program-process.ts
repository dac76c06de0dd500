import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** A program, as it is started each time. */
export type Program = {
  command: string
  args: string[]
  env: Record<string, string>
  /** Everything that its runs write. */
  logFile: string
  options?: Pick<SpawnOptions, 'cwd' | 'uid' | 'gid' | 'detached'>
  /** Whether it says over its channel that it is ready; another one is ready as soon as it runs. */
  saysReady?: boolean
  /** Whether it is started again whenever it has ended, as systemd or Kubernetes does. */
  isKept?: boolean
}

type Run = { child: ChildProcess; ready: Promise<void>; exited: Promise<void> }

/** So long one that is kept is away at the least. Milliseconds. */
const restartMs = 500

/** A program as a process that is killed, frozen and started again. */
export class ProgramProcess {
  /** Ends that nobody asked for: a start that failed, a process that fell over. */
  readonly ownEnds: string[] = []
  kills = 0
  readonly program: Program
  #run: Run | undefined
  #isEndWanted = false
  #isStopped = false

  constructor(program: Program) {
    this.program = program
  }

  get logFile(): string {
    return this.program.logFile
  }

  get pid(): number | undefined {
    return this.#run?.child.pid
  }

  /** `more` are settings for this run alone. */
  start(more: Record<string, string> = {}): void {
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
    const ready = once(child, saysReady ? 'message' : 'spawn').then(() => {
      isReady = true
    })
    const exited = once(child, 'exit').then(([code, signal]) => {
      const when = saysReady && !isReady ? 'before it was ready' : 'when it ran'
      if (!this.#isEndWanted) this.ownEnds.push(`exit code ${code}, signal ${signal}, ${when}`)
      if (isKept) void sleep(restartMs).then(() => this.#isStopped || this.#run?.child !== child || this.start(more))
    })
    this.#run = { child, ready, exited }
  }

  /** Resolves when it is ready; at once where it has died before that. */
  async ready(): Promise<void> {
    const { ready, exited } = this.#running()
    await Promise.race([ready, exited])
  }

  /** Nothing it has begun is finished any more. The signal is sent before this returns to its caller. */
  async kill(): Promise<void> {
    const { child, exited } = this.#running()
    this.#isEndWanted = true
    this.kills += 1
    child.kill('SIGKILL')
    await exited
  }

  freeze(): void {
    this.#running().child.kill('SIGSTOP')
  }

  thaw(): void {
    this.#running().child.kill('SIGCONT')
  }

  /** Ends it in good order. */
  async stop(): Promise<void> {
    const { child, exited } = this.#running()
    this.#isEndWanted = true
    this.#isStopped = true
    child.kill('SIGTERM')
    await exited
  }

  #running(): Run {
    if (!this.#run) throw new Error('the program was not started yet')
    return this.#run
  }
}
