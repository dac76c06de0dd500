import type { Order, Outcome } from '@sluice/contract/runner-protocol'
import type { AttemptCalls } from './api/attempt-calls.ts'

type Json = Record<string, unknown>

/** A program to run for an attempt. */
export type Command = {
  argv: readonly [string, ...string[]]
  /** Relative to the attempt's directory, or absolute. */
  cwd?: string
  /** All of its environment: nothing of ours is handed on but PATH, HOME (the attempt's directory) and TMPDIR. */
  env?: Record<string, string>
  /**
   * Sees each whole line of its output before it is stored; what it returns is stored instead, undefined nothing. After
   * a crash it sees all lines again, and what was stored already is not stored again.
   */
  onLine?: (line: string) => string | undefined
  /** A file for its standard output, relative to the attempt's directory; the log then has its errors only. */
  stdout?: string
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
  /** Its own directory, empty at first, removed when the attempt is over. */
  directory: string
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
}

/** What a runner does for an order. When it ends or throws after an abort, the attempt was stopped. */
export type Work<O extends Order> = (attempt: Attempt, order: O) => Promise<Outcome>

/** What a runner can do, by the kind of order. */
export type Works = { [Kind in Order['kind']]: Work<Extract<Order, { kind: Kind }>> }
