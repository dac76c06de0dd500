import { closeSync, existsSync, openSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command, ProcessResult } from '../attempt.ts'
import { StepFailure } from '../failure.ts'
import type { Isolation, Result } from '../isolation/isolation.ts'
import { readResult } from '../isolation/read-result.ts'
import type { WatchedLimit } from '../isolation/watch.ts'
import { follow } from '../log/follow.ts'
import type { Mask } from '../log/mask.ts'
import type { StepLog } from '../log/step-log.ts'
import { removeFolder } from '../remove-folder.ts'
import { filesIn, givenIn, makeFolder } from './folders.ts'
import { DetachedProcess, findProgram, type Start, type StopPace } from './process.ts'

export type ProgramsParts = {
  organizationId: string
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

/** Standard output that is kept apart, among the records: programs do not see it. */
const keptStdout = 'stdout'

/** What a program was given for itself. */
type Places = { records: string; temporary: string; writable: readonly string[]; readOnly: readonly string[] }

/** The programs of an attempt. */
export class Programs {
  readonly #parts: ProgramsParts

  constructor(parts: ProgramsParts) {
    this.#parts = parts
  }

  /** Starts a program, or takes one up that an earlier runner has started, and waits for its end. */
  async run(name: string, command: Command): Promise<ProcessResult> {
    const { log, mask, signal, left, stopPace } = this.#parts
    const { onLine, onShownLine } = command
    signal.throwIfAborted()
    const places = this.#placesOf(name, command)
    const output = join(places.records, 'output')
    closeSync(openSync(output, 'a', 0o600))
    const program = new DetachedProcess(places.records)
    await program.start(() => this.#startOf(command, places, output))
    const ended = program.ended(left)
    const limited = this.#endAtLimit(program, places, ended)
    limited.catch(() => {}) // it is looked at when the program has ended
    const stop = () => void program.stop(stopPace)
    signal.addEventListener('abort', stop)
    if (signal.aborted) stop()
    try {
      await follow({ file: output, source: `programs/${name}`, log, mask, onLine, onShownLine, ended })
      const result = await ended
      const limit = await limited
      if (limit) throw overLimit(limit)
      return result
    } catch (error) {
      if (left.aborted) return new Promise(() => {}) // as if this process had ended: nothing is undone, another goes on
      throw error
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  /** What a program with `keepsStdout` has written. */
  stdoutOf(name: string, mostBytes: number): Promise<Result> {
    return readResult(join(programsIn(this.#parts.directory), name), keptStdout, mostBytes)
  }

  /** A file of the attempt's directory: see `Attempt`. */
  result(path: string, mostBytes: number): Promise<Result> {
    return readResult(filesIn(this.#parts.directory), path, mostBytes)
  }

  #placesOf(name: string, { writable, readOnly = [] }: Command): Places {
    const { directory } = this.#parts
    const [records, temporary] = [join(programsIn(directory), name), join(directory, `tmp-${name}`)]
    for (const folder of [programsIn(directory), records, temporary]) makeFolder(folder)
    const given = writable ? [] : [givenIn(directory)].filter((folder) => existsSync(folder))
    return { records, temporary, writable: writable ?? [filesIn(directory)], readOnly: [...given, ...readOnly] }
  }

  /** How the program is started: in what keeps it apart from others, once its file was found where it will find it. */
  async #startOf(command: Command, places: Places, errors: string): Promise<Start> {
    const { argv, cwd = '.', env = {}, keepsStdout, isRootInside = false } = command
    const { organizationId, directory, isolation } = this.#parts
    const files = filesIn(directory)
    const [name, ...args] = argv
    const place = resolve(files, cwd)
    const environment = { ...cleanEnvironment(files, isolation.temporaryAt(places.temporary)), ...env }
    const sees = (file: string) => isolation.sees(file, places)
    const program = await findProgram(name, { cwd: place, path: environment.PATH ?? '', sees })
    const start = { argv: [program, ...args] as const, cwd: place, env: environment, isRootInside }
    const wrapped = await isolation.wrap({ organizationId, attempt: directory, ...places, ...start })
    return { ...wrapped, output: keepsStdout ? join(places.records, keptStdout) : errors, errors }
  }

  /** Kills it when it has used up what it may; answers with what that was, when it has ended. */
  async #endAtLimit(
    program: DetachedProcess,
    { records, temporary, writable }: Places,
    ended: Promise<unknown>,
  ): Promise<WatchedLimit | undefined> {
    const over = new AbortController()
    ended.finally(() => over.abort()).catch(() => {}) // whoever waits for it is told
    const watched = { pid: () => program.pid(), folders: [...writable, temporary, records] }
    try {
      const limit = await this.#parts.isolation.watch(watched, over.signal)
      if (limit) await program.kill()
      return limit
    } catch (error) {
      await program.kill() // what cannot be watched must not run
      throw error
    }
  }
}

const settingOf: Record<WatchedLimit['limit'], string> = {
  memory: 'SLUICE_RUNNER_MEMORY_MIB',
  disk: 'SLUICE_RUNNER_DISK_MIB',
  files: 'SLUICE_RUNNER_FILES',
}

const overLimit = ({ limit, message }: WatchedLimit): StepFailure =>
  new StepFailure('programOverLimit', `The program was ended. ${message}`, {
    description: `Have it use less, or ask whoever runs the runner to raise ${settingOf[limit]}.`,
  })

/** Ends an attempt's programs that still run and removes all that it has left. */
export async function clearAttempt(directory: string, stopPace: StopPace, isolation: Isolation): Promise<void> {
  const programs = programsIn(directory)
  const names = existsSync(programs) ? readdirSync(programs) : []
  await Promise.all(
    names.map(async (name) => {
      const records = join(programs, name)
      await new DetachedProcess(records).stop(stopPace)
      await isolation.release(records)
    }),
  )
  await removeFolder(directory)
}

/** What every program gets. Of our own environment it sees where programs are, and nothing else. */
const cleanEnvironment = (home: string, temporary: string): Record<string, string> => ({
  PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
  HOME: home,
  TMPDIR: temporary,
  LANG: 'C.UTF-8',
})
