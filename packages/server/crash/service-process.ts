import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** What dies: the service alone, so that its engine has to notice; or both in the same moment. */
export type Victim = 'service' | 'service and engine'

/** Half a second less of each start. */
const compileCache = fileURLToPath(new URL('../../../node_modules/.cache/compile', import.meta.url))
/** Where the bundled service is, for the time of a run of tests. */
export const serviceProgramVariable = 'SLUICE_CRASH_SERVICE'
const program = process.env[serviceProgramVariable] ?? fileURLToPath(new URL('./service.ts', import.meta.url))

type Run = { child: ChildProcess; ready: Promise<void>; exited: Promise<void> }

/** The service as a process that is killed, frozen and started again on the same data directory. */
export class ServiceProcess {
  readonly dataDir: string
  /** Everything that its runs have written. */
  readonly logFile: string
  /** Ends that nobody asked for: a start that failed, a process that fell over. */
  readonly ownEnds: string[] = []
  kills = 0
  readonly #env: Record<string, string>
  #run: Run | undefined
  #isEndWanted = false

  constructor(directory: string, env: Record<string, string>) {
    this.dataDir = join(directory, 'data')
    this.logFile = join(directory, 'service.log')
    this.#env = { ...env, SLUICE_DATA_DIR: this.dataDir }
  }

  /** `more` are settings for this run alone. */
  start(more: Record<string, string> = {}): void {
    const log = openSync(this.logFile, 'a')
    const child = spawn(process.execPath, [program], {
      env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: compileCache, ...this.#env, ...more },
      stdio: ['ignore', log, log, 'ipc'],
    })
    closeSync(log)
    this.#isEndWanted = false
    const exited = once(child, 'exit').then(([code, signal]) => {
      if (!this.#isEndWanted) this.ownEnds.push(`exit code ${code}, signal ${signal}`)
    })
    const ready = once(child, 'message').then(() => {})
    this.#run = { child, ready, exited }
  }

  /** Resolves when it listens; at once where it has died before that. */
  async ready(): Promise<void> {
    const { ready, exited } = this.#running()
    await Promise.race([ready, exited])
  }

  /** Nothing it has begun is finished any more. The signal is sent before this returns to its caller. */
  async kill(victim: Victim): Promise<void> {
    const { child, exited } = this.#running()
    this.#isEndWanted = true
    this.kills += 1
    const engine = victim === 'service and engine' ? await this.enginePid() : undefined
    child.kill('SIGKILL')
    if (engine !== undefined) kill(engine)
    await exited
  }

  /** Kills the engine alone: the service is to start it again. */
  async killEngine(): Promise<void> {
    const engine = await this.enginePid()
    if (engine !== undefined) kill(engine)
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
    child.kill('SIGTERM')
    await exited
  }

  /** Takes away all that the engine remembers. It must not run. */
  forgetEngine(): Promise<void> {
    return rm(join(this.dataDir, 'engine'), { recursive: true })
  }

  /** The command lines of living processes that name our data directory: the engine's, and what else was started. */
  async leftOver(): Promise<string[]> {
    const { stdout } = await promisify(execFile)('ps', ['-ww', '-eo', 'pid=,stat=,command='])
    return stdout.split('\n').filter((line) => line.includes(this.dataDir))
  }

  /** The engine of the present run; undefined while none runs. */
  async enginePid(): Promise<number | undefined> {
    const line = (await this.leftOver()).find((process) => process.includes('restate-server'))
    return line === undefined ? undefined : Number.parseInt(line, 10)
  }

  #running(): Run {
    if (!this.#run) throw new Error('the service was not started yet')
    return this.#run
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error // it has just ended by itself
  }
}
