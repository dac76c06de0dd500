import { chmod, mkdir, open, readdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Mask } from '../step-logs/mask.ts'
import type { StepLog } from '../step-logs/step-log.ts'
import { follow } from './follow.ts'
import { DetachedProcess, type StopPace } from './process.ts'
import type { Command, ProcessResult } from './work.ts'

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
  async run(name: string, { argv, cwd = '.', env = {}, onLine, stdout }: Command): Promise<ProcessResult> {
    const { directory, log, mask, signal, left, stopPace } = this.#parts
    signal.throwIfAborted()
    const records = join(programsIn(directory), name)
    const files = join(directory, 'files')
    const temporary = join(directory, 'tmp')
    await mkdir(records, { recursive: true, mode: 0o700 })
    await mkdir(temporary, { recursive: true, mode: 0o700 })
    const output = join(records, 'output')
    await touch(output)

    const program = new DetachedProcess(records)
    await program.start({
      argv,
      cwd: resolve(files, cwd),
      env: { ...cleanEnvironment(files, temporary), ...env },
      output: stdout === undefined ? output : resolve(files, stdout),
      errors: output,
    })
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
}

/** Ends an attempt's programs that still run and removes all that it has left. */
export async function clearAttempt(directory: string, stopPace: StopPace): Promise<void> {
  const names = await readdir(programsIn(directory)).catch(() => [])
  await Promise.all(names.map((name) => new DetachedProcess(join(programsIn(directory), name)).stop(stopPace)))
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
