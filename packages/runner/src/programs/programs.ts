import { chmod, mkdir, open, readdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Command, ProcessResult } from '../attempt.ts'
import type { Isolation } from '../isolation/isolation.ts'
import { follow } from '../log/follow.ts'
import type { Mask } from '../log/mask.ts'
import type { StepLog } from '../log/step-log.ts'
import { DetachedProcess, findProgram, ProgramMissing, type Start, type StopPace } from './process.ts'

export type ProgramsParts = {
  /** The attempt's, with its `files` in it. */
  directory: string
  log: StepLog
  mask: Mask
  /** Aborted when the attempt must end: its programs are stopped. */
  signal: AbortSignal
  /** Aborted when the runner stops: the programs run on, and the next runner takes them up. */
  left: AbortSignal
  stopPace: StopPace
  isolation: Isolation
}

/** Where the programs of an attempt have their records, each in a directory with its name. */
const programsIn = (directory: string): string => join(directory, 'programs')

/** The programs of an attempt. */
export class Programs {
  readonly #parts: ProgramsParts

  constructor(parts: ProgramsParts) {
    this.#parts = parts
  }

  /** Starts a program, or takes one up that an earlier runner has started, and waits for its end. */
  async run(name: string, command: Command): Promise<ProcessResult> {
    const { directory, log, mask, signal, left, stopPace } = this.#parts
    const { onLine } = command
    signal.throwIfAborted()
    const records = join(programsIn(directory), name)
    await mkdir(records, { recursive: true, mode: 0o700 })
    const output = join(records, 'output')
    await touch(output)
    const program = new DetachedProcess(records)
    await program.start(() => this.#startOf(command, records, output))
    const ended = program.ended(left)
    const stop = () => void program.stop(stopPace)
    signal.addEventListener('abort', stop)
    if (signal.aborted) stop()
    try {
      await follow({ file: output, source: `programs/${name}`, log, mask, onLine, ended })
      return await ended
    } catch (error) {
      if (left.aborted) return new Promise(() => {}) // as if this process had ended: nothing is undone, another goes on
      throw error
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  /** How the program is started: in what keeps it apart from others, once its file was found where it will find it. */
  async #startOf({ argv, cwd = '.', env = {}, stdout }: Command, records: string, output: string): Promise<Start> {
    const { directory, isolation } = this.#parts
    const files = join(directory, 'files')
    const temporary = join(directory, 'tmp')
    await mkdir(temporary, { recursive: true, mode: 0o700 })
    const [name, ...args] = argv
    const place = resolve(files, cwd)
    const environment = { ...cleanEnvironment(files, temporary), ...env }
    const program = await findProgram(name, place, environment.PATH ?? '')
    const writable = [files]
    const readOnly: string[] = []
    if (!(await isolation.sees(program, { writable, readOnly }))) throw new ProgramMissing(name)
    const wrapped = await isolation.wrap({
      argv: [program, ...args],
      cwd: place,
      env: environment,
      records,
      writable,
      temporary,
      readOnly,
    })
    return { ...wrapped, output: stdout === undefined ? output : resolve(files, stdout), errors: output }
  }
}

/** Ends an attempt's programs that still run and removes all that it has left. */
export async function clearAttempt(directory: string, stopPace: StopPace, isolation: Isolation): Promise<void> {
  const names = await readdir(programsIn(directory)).catch(() => [])
  await Promise.all(
    names.map(async (name) => {
      const records = join(programsIn(directory), name)
      await new DetachedProcess(records).stop(stopPace)
      await isolation.release(records)
    }),
  )
  await rm(directory, { recursive: true, force: true }).catch(async () => {
    await makeWritable(directory)
    await rm(directory, { recursive: true, force: true })
  })
}

/** Some tools protect their caches from being written to, which also protects them from being removed. */
async function makeWritable(directory: string): Promise<void> {
  await chmod(directory, 0o700)
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    if (entry.isDirectory()) await makeWritable(join(directory, entry.name))
  }
}

/** What every program gets. Of our own environment it sees where programs are, and nothing else. */
const cleanEnvironment = (home: string, temporary: string): Record<string, string> => ({
  PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
  HOME: home,
  TMPDIR: temporary,
  LANG: 'C.UTF-8',
})

const touch = async (file: string): Promise<void> => (await open(file, 'a', 0o600)).close()
