import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'

/** What to start. Paths are absolute. */
export type Detached = { argv: readonly string[]; cwd: string; env: Record<string, string> }

/**
 * Starts programs, one at a time: a shell, which is so small that the kernel copies next to nothing for each. A process
 * of Node has tens of megabytes of its own, and their page tables are copied and thrown away again with each start: 3
 * to 4 ms of the processor, where this takes 2 (measured with 95 MB).
 */
class Starter {
  readonly #shell: ChildProcessByStdio<Writable, Readable, null>
  /** Told how the present one ended; undefined where the shell itself is gone. */
  #answer: ((status: number | undefined) => void) | undefined
  #said = ''
  isGone = false

  constructor() {
    // Nothing of ours reaches it, no signal either; it ends with its input, after the program that it has.
    this.#shell = spawn('/bin/sh', [], { cwd: '/', env: {}, detached: true, stdio: ['pipe', 'pipe', 'ignore'] })
    this.#shell.unref()
    for (const pipe of [this.#shell.stdin, this.#shell.stdout]) {
      if (pipe instanceof Socket) pipe.unref()
      pipe.on('error', () => this.#goes())
    }
    this.#shell.once('error', () => this.#goes())
    this.#shell.once('exit', () => this.#goes())
    this.#shell.stdout.on('data', (piece) => this.#hears(String(piece)))
  }

  /** Answers with the exit status when the program is gone; undefined where that cannot be told any more. */
  run(program: Detached): Promise<number | undefined> {
    const { promise, resolve } = Promise.withResolvers<number | undefined>()
    this.#answer = resolve
    this.#shell.stdin.write(scriptOf(program))
    return promise
  }

  end(): void {
    this.#shell.stdin.end()
  }

  #hears(piece: string): void {
    this.#said += piece
    if (!this.#said.endsWith('\n')) return
    const status = Number(this.#said)
    this.#said = ''
    this.#tell(status)
  }

  #goes(): void {
    this.isGone = true
    this.#tell(undefined)
  }

  #tell(status: number | undefined): void {
    const answer = this.#answer
    this.#answer = undefined
    answer?.(status)
  }
}

/** Those that have nothing to do. */
const idle: Starter[] = []
/** More are ended. Each has one megabyte. */
const mostIdle = 16

/**
 * Starts a program as the leader of a session of its own, so that it outlives us and no signal to us reaches it; its
 * input and output lead nowhere. Answers with its exit status when it is gone, or undefined where that cannot be told.
 */
export async function startDetached(program: Detached): Promise<number | undefined> {
  const starter = idle.pop() ?? new Starter()
  const status = await starter.run(program)
  if (starter.isGone) return status
  if (idle.length < mostIdle) idle.push(starter)
  else starter.end()
  return status
}

const setsid = ['/usr/bin/setsid', '/bin/setsid'].find((file) => {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
})

/** Variables that some shell keeps for itself, or that change what it does. */
const ofShells =
  /^(_|BASH.*|COMP_.*|DIRSTACK|ENV|E?UID|EPOCH.*|FUNCNAME|GROUPS|HIST.*|IFS|LINENO|MAIL.*|OPT.*|PIPESTATUS|POSIXLY_CORRECT|PPID|PS\d|RANDOM|SECONDS|SHELLOPTS|SHLVL|SRANDOM)$/

/** Whether a shell can start it as it is to be. */
export const isForStarter = ({ argv, cwd, env }: Detached): boolean =>
  setsid !== undefined &&
  ![...argv, cwd, ...Object.values(env)].some((text) => text.includes('\0')) &&
  Object.keys(env).every((name) => /^[A-Za-z_]\w*$/.test(name) && !ofShells.test(name))

/** In single quotes nothing means anything to a shell but the next single quote. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

function scriptOf({ argv, cwd, env }: Detached): string {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${quoted(value)}`)
  const steps = [
    `cd ${quoted(cwd)}`,
    'unset OLDPWD',
    ...(variables.length > 0 ? [`export ${variables.join(' ')}`] : []),
    `exec ${setsid} ${argv.map(quoted).join(' ')}`,
  ]
  return `(${steps.join(' && ')}) </dev/null >/dev/null 2>&1; echo "$?"\n`
}
