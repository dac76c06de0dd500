import type { Order, Outcome } from '@sluice/contract/runner-protocol'
import type { AttemptCalls } from './api/attempt-calls.ts'
import type { Result } from './isolation/isolation.ts'

type Json = Record<string, unknown>

/** A program to run for an attempt. */
export type Command = {
  argv: readonly [string, ...string[]]
  /** Relative to the attempt's directory, or absolute. */
  cwd?: string
  /**
   * All of its environment: nothing of ours is handed on but PATH, HOME (the attempt's directory) and TMPDIR, and
   * TRACEPARENT where the run is traced.
   */
  env?: Record<string, string>
  /**
   * Sees each whole line of its output before it is stored; what it returns is stored instead, undefined nothing. After
   * a crash it sees all lines again, and what was stored already is not stored again.
   */
  onLine?: (line: string) => string | undefined
  /** Told of each line that the log shows; of none once the log is cut, so that who writes without end is not kept. */
  onShownLine?: (line: string) => void
  /** Keeps its standard output apart, for `stdoutOf`; the log then has its errors only. */
  keepsStdout?: true
  /** Files and folders that it may read beside the system's and the attempt's. Absolute. */
  readOnly?: readonly string[]
  /** The only folders that it may write to, absolute; the attempt's directory where nothing is said. */
  writable?: readonly string[]
  /** Whether it is root over a range of ids in its sandbox: see `Program`. */
  isRootInside?: boolean
}

/**
 * How a program ended. A signal stands where no exit code was written down: it was killed, or its machine went down.
 */
export type ProcessResult = { exitCode: number } | { signal: string }

/**
 * One attempt of a step on a runner. Work is called again for the same attempt when the runner comes back after a
 * crash: what it does must find what it did before. `process` does so by itself: a program that runs still is taken up
 * again, one that has ended answers at once with its exit code.
 */
export interface Attempt {
  organizationId: string
  stepName: string
  /**
   * Where its programs work: empty at first, removed when the attempt is over. Once a program of the step has begun,
   * what lies here is read with `result` alone, and nothing is written here any more: there may be links.
   */
  directory: string
  /** Its further folders, which programs do not see, or cannot write to. Removed with it. */
  folders: {
    /** What the step's programs may read and not change. */
    given: string
    /** What is written down for another start of the runner. No program sees it. */
    notes: string
    /**
     * For a program of Sluice's own, where nothing of the step's programs reaches; but of a build of an image, whose
     * store lies here.
     */
    apart: string
  }
  /** Aborted when the attempt must end: it was cancelled, its time is up, or another runner has taken it over. */
  signal: AbortSignal
  /** Aborted when its work is done, however it ended, and when it is left for another start of the runner. */
  over: AbortSignal
  /** What it may ask of the API. */
  calls: AttemptCalls
  /** Writes a line of our own into the step's log; what was written before a crash is not written again. */
  log(line: string): void
  /** The last lines of its log, as they are stored: what a person would look at first. */
  lastLines(): string[]
  /** Keeps a value out of the log and of everything else that is stored from now on. */
  mask(secret: string): void
  /** Shows how far it is, as the step's `statusDetail`. */
  showProgress(detail: Json): Promise<void>
  /**
   * Runs a program to its end; `name` is unique within the attempt. Stops it (SIGINT, SIGTERM, SIGKILL) on abort.
   * @throws {ProgramMissing} where there is no such program.
   */
  process(name: string, command: Command): Promise<ProcessResult>
  /** What a program with `keepsStdout` has written. */
  stdoutOf(name: string, mostBytes: number): Promise<Result>
  /** Reads a file of `directory` that a program may have made, when none runs: see `readResult`. */
  result(path: string, mostBytes: number): Promise<Result>
}

/** What a runner does for an order. When it ends or throws after an abort, the attempt was stopped. */
export type Work<O extends Order> = (attempt: Attempt, order: O) => Promise<Outcome>

/** What a runner can do, by the kind of order. */
export type Works = { [Kind in Order['kind']]: Work<Extract<Order, { kind: Kind }>> }
