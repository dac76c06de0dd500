import type { Order, Outcome } from '@sluice/contract/runner-protocol'
import type { AttemptClient } from './api/attempt-client.ts'
import type { Result } from './isolation/isolation.ts'

type Json = Record<string, unknown>

/** A program to run for an attempt. */
export type Command = {
  argv: readonly [string, ...string[]]
  /** Relative to the attempt's directory, or absolute. */
  cwd?: string
  /**
   * The whole environment of the program. The runner adds only PATH, HOME (the attempt's directory), TMPDIR and, if the
   * run is traced, TRACEPARENT.
   */
  env?: Record<string, string>
  /**
   * Receives each whole line of output before it is stored. The returned line is stored instead; undefined drops it.
   * After a crash it receives all lines again. Lines that were stored already are not stored again.
   */
  onLine?: (line: string) => string | undefined
  /**
   * Receives each line that the log shows. Receives none after the log is truncated, which bounds what callers keep.
   */
  onLoggedLine?: (line: string) => void
  /** Keeps standard output out of the log and captures it for `readStdout`. The log then has only standard error. */
  capturesStdout?: true
  /** Files and folders that the program can read in addition to the system's and the attempt's. Absolute paths. */
  readOnly?: readonly string[]
  /** The only folders that the program can write to. Absolute paths. Defaults to the attempt's directory. */
  writable?: readonly string[]
  /** Whether the program is root over a range of IDs in its sandbox: see `Program`. */
  isRootInSandbox?: boolean
}

/**
 * How a program ended. `signal` also stands for a missing exit code: the program was killed or its machine stopped.
 */
export type ProcessResult = { exitCode: number } | { signal: string }

/**
 * One attempt of a step on a runner. After a crash the runner calls the handler again for the same attempt, so a
 * handler must find its earlier work. `runProgram` does: it reattaches to a running program and returns the exit code
 * of one that has ended.
 */
export interface Attempt {
  organizationId: string
  stepName: string
  /**
   * Working directory of the attempt's programs: empty at first, removed after the attempt. After the first program has
   * started, read files here only with `readResult` and write none, because programs may have created links.
   */
  directory: string
  /** Other folders of the attempt, which programs cannot see or cannot write to. Removed with the attempt. */
  folders: {
    /** Files that the step's programs can read but not change. */
    inputs: string
    /** Data for a later start of the runner. No program sees it. */
    checkpoints: string
    /**
     * For programs of Sluice itself: the step's programs have no access. The exception is an image build, whose store
     * is here.
     */
    internal: string
  }
  /** Aborted when the attempt must end: it was cancelled, it timed out, or another runner has leased it. */
  signal: AbortSignal
  /** Aborted when the handler has finished, with any result, and when the attempt is left for a later start. */
  finished: AbortSignal
  /** The API calls of this attempt. */
  api: AttemptClient
  /** Writes a line of the runner into the step's log. A line that was written before a crash is not written again. */
  log(line: string): void
  /** Returns the last lines of the log as they are stored. */
  lastLogLines(): string[]
  /** Removes a value from the log and from everything else that is stored from now on. */
  mask(secret: string): void
  /** Stores the progress as the step's `statusDetail`. */
  reportProgress(detail: Json): Promise<void>
  /**
   * Runs a program to its end; `name` is unique within the attempt. On abort, stops it with SIGINT, SIGTERM and
   * SIGKILL.
   * @throws {ProgramMissing} if the program does not exist
   */
  runProgram(name: string, command: Command): Promise<ProcessResult>
  /** Returns what a program with `capturesStdout` wrote to standard output. */
  readStdout(name: string, maxBytes: number): Promise<Result>
  /** Reads a file of `directory` that a program may have created. Call it only while no program runs. */
  readResult(path: string, maxBytes: number): Promise<Result>
}

/** Executes an order. If it ends or throws after an abort, the attempt counts as stopped. */
export type OrderHandler<O extends Order> = (attempt: Attempt, order: O) => Promise<Outcome>

/** The handlers of a runner by the type of order. */
export type OrderHandlers = { [Kind in Order['kind']]: OrderHandler<Extract<Order, { kind: Kind }>> }
