import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** Settings for starting a local process. */
export interface ProcessOptions {
  argv: string[]
  /** Complete environment, except for PATH and HOME. */
  env: Record<string, string>
  /** Time between SIGTERM and SIGKILL, in milliseconds. */
  patienceMs: number
  onLines: (lines: string[]) => void
  onExit: (exitCode: number) => void
}

/** Offset of a shell's exit code for a process ended by a signal. */
const signalBase = 128
/** Time within which output lines are combined, in milliseconds. */
const togetherMs = 50

/** Local process that stands for a task's container. */
export class ContainerProcess {
  readonly #child: ChildProcess
  readonly #wish: ProcessOptions
  #lines: string[] = []
  #telling: NodeJS.Timeout | undefined
  #lastResort: NodeJS.Timeout | undefined

  constructor(wish: ProcessOptions) {
    this.#wish = wish
    const home = mkdtempSync(join(tmpdir(), 'sluice-task-'))
    const [program = '', ...args] = wish.argv
    const env = { PATH: process.env.PATH, ...wish.env, HOME: home, TMPDIR: home }
    this.#child = spawn(program, args, { cwd: home, env, stdio: ['ignore', 'pipe', 'pipe'] })
    for (const output of [this.#child.stdout, this.#child.stderr]) {
      if (output) createInterface({ input: output }).on('line', (line) => this.#heard(line))
    }
    this.#child.on('error', (error) => this.#heard(String(error)))
    this.#child.on('close', (code, signal) => {
      clearTimeout(this.#lastResort)
      this.#tell()
      rmSync(home, { recursive: true, force: true })
      wish.onExit(code ?? signalBase + (signal ? constants.signals[signal] : 0))
    })
  }

  /** Sends SIGTERM, and SIGKILL if the process does not end in time. */
  stop(): void {
    this.#child.kill('SIGTERM')
    this.#lastResort ??= setTimeout(() => this.kill(), this.#wish.patienceMs)
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }

  #heard(line: string): void {
    this.#lines.push(line)
    this.#telling ??= setTimeout(() => this.#tell(), togetherMs)
  }

  #tell(): void {
    clearTimeout(this.#telling)
    this.#telling = undefined
    if (this.#lines.length > 0) this.#wish.onLines(this.#lines.splice(0))
  }
}
