import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { reportFatalError } from './fatal-error.ts'
import { ProgramProcess } from './program-process.ts'
import { compileCache, programHere } from './programs.ts'

/** Processes that die: the service alone, so that its engine has to detect that, or both at once. */
export type Victim = 'service' | 'service and engine'

const program = programHere('service')

/**
 * Time in milliseconds for leftovers to end. The network of a program survives a killed runner by ten seconds: see
 * network.sh of the runner.
 */
const lingerMs = 20_000

/** Service that tests kill, freeze and start again with the same data directory. */
export class ServiceProcess extends ProgramProcess {
  readonly dataDir: string

  constructor(directory: string, env: Record<string, string>, { isKept = false, version = program } = {}) {
    const dataDir = join(directory, 'data')
    super({
      command: process.execPath,
      args: [version],
      env: { NODE_COMPILE_CACHE: compileCache, ...env, SLUICE_DATA_DIR: dataDir },
      logFile: join(directory, 'service.log'),
      saysReady: true,
      isKept,
    })
    this.dataDir = dataDir
  }

  /** Runs another version from the next start on, by the path of its program. Defaults to the present version. */
  becomes(version = program): void {
    this.program.args = [version]
  }

  override async kill(victim: Victim = 'service'): Promise<void> {
    const engine = victim === 'service and engine' ? await this.enginePid() : undefined
    const killed = super.kill()
    if (engine !== undefined) kill(engine)
    await killed
  }

  /** Kills the service and starts it again, after `meanwhile`. A failure ends the waits of the current test. */
  killAndRestart(meanwhile: () => unknown = () => {}): void {
    this.kill()
      .then(meanwhile)
      .then(() => this.start())
      .catch(reportFatalError)
  }

  /** Kills only the engine, which the service must restart. */
  async killEngine(): Promise<void> {
    kill(await this.#runningEngine())
  }

  /** Freezes the engine: it accepts no message and calls no handler until it is resumed or killed. */
  async freezeEngine(): Promise<void> {
    process.kill(await this.#runningEngine(), 'SIGSTOP')
  }

  async thawEngine(): Promise<void> {
    process.kill(await this.#runningEngine(), 'SIGCONT')
  }

  /** Deletes the data of the engine, which must not run. */
  forgetEngine(): Promise<void> {
    return rm(join(this.dataDir, 'engine'), { recursive: true })
  }

  /**
   * Returns the processes that have the data directory in their command line or environment: the engine, and others
   * that the service started. Below a long TMPDIR the engine's command line has only a short link to the directory, but
   * its environment always has the directory itself. Waits for those that end soon.
   */
  async leftOver(): Promise<string[]> {
    const deadline = performance.now() + lingerMs
    for (;;) {
      const processes = await this.#processes()
      if (processes.length === 0 || performance.now() > deadline) return processes
      await sleep(200)
    }
  }

  async #processes(): Promise<string[]> {
    const { stdout } = await promisify(execFile)('ps', ['axeww', '-o', 'pid=,stat=,command='], { maxBuffer: 2 ** 26 })
    return stdout.split('\n').filter((line) => line.includes(this.dataDir))
  }

  /** Returns the process ID of the current engine; undefined if none runs. */
  async enginePid(): Promise<number | undefined> {
    const line = (await this.#processes()).find((process) => process.includes('/restate-server '))
    return line === undefined ? undefined : Number.parseInt(line, 10)
  }

  async #runningEngine(): Promise<number> {
    const pid = await this.enginePid()
    if (pid === undefined) throw new Error(`No engine is running in ${this.dataDir}. See the log: ${this.logFile}`)
    return pid
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error // the process has just exited
  }
}
