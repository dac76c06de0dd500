import { closeSync, existsSync, openSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command, ProcessResult } from '../attempt.ts'
import { StepFailure } from '../failure.ts'
import type { Isolation, Result } from '../isolation/isolation.ts'
import { readResult } from '../isolation/read-result.ts'
import type { ExceededLimit } from '../isolation/watch.ts'
import { followOutput } from '../log/follow.ts'
import type { Mask } from '../log/mask.ts'
import type { StepLog } from '../log/step-log.ts'
import { removeFolder } from '../remove-folder.ts'
import { ensureFolder, filesPath, inputsPath } from './folders.ts'
import { DetachedProcess, findProgram, type StartOptions, type StopTimeouts } from './process.ts'

export type ProgramsParts = {
  organizationId: string
  /** Directory of the attempt, which contains `files`. */
  directory: string
  log: StepLog
  mask: Mask
  /** Aborted when the attempt must end. Its programs are then stopped. */
  signal: AbortSignal
  /** Aborted when the runner stops. Programs keep running, and the next start resumes them. */
  detached: AbortSignal
  stopTimeouts: StopTimeouts
  isolation: Isolation
}

/** Returns the folder with the records of an attempt's programs, one subfolder per name. */
const recordsPath = (directory: string): string => join(directory, 'programs')

/** File name of captured standard output in the records, which programs cannot see. */
const stdoutFile = 'stdout'

/** Folders of a program. */
type ProgramPaths = { records: string; temporary: string; writable: readonly string[]; readOnly: readonly string[] }

/** Runs the programs of an attempt. */
export class Programs {
  readonly #parts: ProgramsParts

  constructor(parts: ProgramsParts) {
    this.#parts = parts
  }

  /** Starts a program, or reattaches to one of an earlier start, and waits for its end. */
  async run(name: string, command: Command): Promise<ProcessResult> {
    const { log, mask, signal, detached, stopTimeouts } = this.#parts
    const { onLine, onLoggedLine } = command
    signal.throwIfAborted()
    const places = this.#createPaths(name, command)
    const output = join(places.records, 'output')
    closeSync(openSync(output, 'a', 0o600))
    const program = new DetachedProcess(places.records)
    await program.start(() => this.#createStartOptions(command, places, output))
    const ended = program.waitForEnd(detached)
    const limited = this.#enforceLimits(program, places, ended)
    limited.catch(() => {}) // awaited after the program has ended
    const stop = () => void program.stop(stopTimeouts)
    signal.addEventListener('abort', stop)
    if (signal.aborted) stop()
    try {
      await followOutput({ file: output, source: `programs/${name}`, log, mask, onLine, onLoggedLine, ended })
      const result = await ended
      const limit = await limited
      if (limit) throw createLimitError(limit)
      return result
    } catch (error) {
      // As if this process had exited: the next start resumes the attempt.
      if (detached.aborted) return new Promise(() => {})
      throw error
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  /** Returns the captured standard output of a program. */
  readStdout(name: string, maxBytes: number): Promise<Result> {
    return readResult(join(recordsPath(this.#parts.directory), name), stdoutFile, maxBytes)
  }

  /** Reads a file of the attempt's directory: see `Attempt`. */
  readResult(path: string, maxBytes: number): Promise<Result> {
    return readResult(filesPath(this.#parts.directory), path, maxBytes)
  }

  #createPaths(name: string, { writable, readOnly = [] }: Command): ProgramPaths {
    const { directory } = this.#parts
    const [records, temporary] = [join(recordsPath(directory), name), join(directory, `tmp-${name}`)]
    for (const folder of [recordsPath(directory), records, temporary]) ensureFolder(folder)
    const given = writable ? [] : [inputsPath(directory)].filter((folder) => existsSync(folder))
    return { records, temporary, writable: writable ?? [filesPath(directory)], readOnly: [...given, ...readOnly] }
  }

  /** Returns how to start the program in its isolation, with the path where it is visible there. */
  async #createStartOptions(command: Command, places: ProgramPaths, errors: string): Promise<StartOptions> {
    const { argv, cwd = '.', env = {}, capturesStdout, isRootInSandbox = false } = command
    const { organizationId, directory, isolation } = this.#parts
    const files = filesPath(directory)
    const [name, ...args] = argv
    const place = resolve(files, cwd)
    const environment = { ...createEnvironment(files, isolation.temporaryPathFor(places.temporary)), ...env }
    const isVisible = (file: string) => isolation.isVisible(file, places)
    const program = await findProgram(name, { cwd: place, path: environment.PATH ?? '', isVisible })
    const wrapped = await isolation.wrap({
      organizationId,
      attempt: directory,
      ...places,
      argv: [program, ...args],
      cwd: place,
      env: environment,
      isRootInSandbox,
    })
    return { ...wrapped, output: capturesStdout ? join(places.records, stdoutFile) : errors, errors }
  }

  /** Kills the program when it exceeds a limit. Resolves with that limit after its end. */
  async #enforceLimits(
    program: DetachedProcess,
    { records, temporary, writable }: ProgramPaths,
    ended: Promise<unknown>,
  ): Promise<ExceededLimit | undefined> {
    const over = new AbortController()
    ended.finally(() => over.abort()).catch(() => {}) // the caller handles the error
    const watched = { pid: () => program.pid(), folders: [...writable, temporary, records] }
    try {
      const limit = await this.#parts.isolation.watch(watched, over.signal)
      if (limit) await program.kill()
      return limit
    } catch (error) {
      await program.kill() // a program must not run without its limits
      throw error
    }
  }
}

const limitSettings: Record<ExceededLimit['limit'], string> = {
  memory: 'SLUICE_RUNNER_MEMORY_MIB',
  disk: 'SLUICE_RUNNER_DISK_MIB',
  files: 'SLUICE_RUNNER_FILES',
}

const createLimitError = ({ limit, message }: ExceededLimit): StepFailure =>
  new StepFailure('programOverLimit', `The program was stopped. ${message}`, {
    description: `Reduce its usage, or ask the operator of the runner to raise ${limitSettings[limit]}.`,
  })

/** Stops the running programs of an attempt and removes its files. */
export async function removeAttempt(
  directory: string,
  stopTimeouts: StopTimeouts,
  isolation: Isolation,
): Promise<void> {
  const programs = recordsPath(directory)
  const names = existsSync(programs) ? readdirSync(programs) : []
  await Promise.all(
    names.map(async (name) => {
      const records = join(programs, name)
      await new DetachedProcess(records).stop(stopTimeouts)
      await isolation.release(records)
    }),
  )
  await removeFolder(directory)
}

/** Returns the base environment of every program. Only PATH is inherited from the runner. */
const createEnvironment = (home: string, temporary: string): Record<string, string> => ({
  PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
  HOME: home,
  TMPDIR: temporary,
  LANG: 'C.UTF-8',
})
