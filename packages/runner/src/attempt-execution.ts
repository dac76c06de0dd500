import { join } from 'node:path'
import { failures } from '@sluice/contract/errors'
import type { Assignment, CompleteAttemptResponse, LogChunk, Order, Outcome } from '@sluice/contract/runner-protocol'
import { mapOutcome } from '@sluice/contract/runner-protocol/map-outcome'
import { AttemptClient, AttemptEnded, AttemptRejected, ReportRejected } from './api/attempt-client.ts'
import type { Call } from './api/call.ts'
import type { Lease } from './api/lease.ts'
import type { Attempt, OrderHandlers } from './attempt.ts'
import { StepFailure } from './failure.ts'
import type { Isolation } from './isolation/isolation.ts'
import { Mask } from './log/mask.ts'
import { RunnerLines } from './log/runner-lines.ts'
import { StepLog } from './log/step-log.ts'
import { createAttemptFolders, ensureFolder, filesPath, listAttemptFolders, resolvePaths } from './programs/folders.ts'
import { ProgramNotFound, type StopTimeouts } from './programs/process.ts'
import { Programs, removeAttempt } from './programs/programs.ts'
import type { Log } from './runner-log.ts'

export type AttemptExecutionParts = {
  call: Call
  lease: Lease
  handlers: OrderHandlers
  log: Log
  stopTimeouts: StopTimeouts
  isolation: Isolation
  /** Folders that attempts share. Their paths are masked in everything that is stored. */
  sharedFolders: readonly string[]
  /** Variables for every program: the identity of an ephemeral runner's task in its cloud account. */
  identity?: Record<string, string>
  /** Maximum size of a log in bytes, if not the default. */
  logLimit?: number | undefined
}

type StepError = Extract<Outcome, { status: 'ERROR' }>['error']

/**
 * Why an attempt ends before its handler has finished. `lost`: the API no longer counts it as ours, so nothing more is
 * reported. `interrupted`: its runner must stop and no other can resume it.
 */
export type EndReason = 'stopped' | 'interrupted' | 'lost'

/** The execution of one attempt of a step on this runner. */
export class AttemptExecution {
  readonly assignment: Assignment
  readonly #parts: AttemptExecutionParts
  readonly #directory: string
  readonly #mask = new Mask()
  readonly #api: AttemptClient
  readonly #stopping = new AbortController()
  readonly #detached = new AbortController()
  readonly #finished = new AbortController()
  /** Aborted when nothing more is reported for the attempt: it is lost or detached. */
  readonly #abandoned = new AbortController()
  #endReason: EndReason | undefined
  #acceptsNextStep = true
  #isSettling = false
  #log: StepLog | undefined

  /** Requires a directory that no other attempt uses. */
  constructor(parts: AttemptExecutionParts, assignment: Assignment, directory: string) {
    const { call, lease, log } = parts
    this.assignment = assignment
    this.#parts = parts
    this.#directory = directory
    for (const secret of [...assignment.secrets, assignment.token]) this.#mask.add(secret)
    const onUnavailable = (error: Error) =>
      log.warn({ err: error, step: assignment.id }, 'the API is unavailable; retrying')
    this.#api = new AttemptClient({
      call,
      lease,
      token: assignment.token,
      abandoned: this.#abandoned.signal,
      onUnavailable,
    })
  }

  /** Declines the step after this one, because the runner is stopping. */
  declineNextStep(): void {
    this.#acceptsNextStep = false
  }

  /** Ends the attempt early and stops its programs. */
  end(reason: EndReason): void {
    // Once the API has stored the end, a heartbeat reports the attempt as lost before `settle` returns the next step.
    if (this.#isSettling) return
    this.#endReason = this.#endReason === 'lost' || reason === 'lost' ? 'lost' : (this.#endReason ?? reason)
    if (this.#endReason === 'lost') this.#abandon()
    this.#stopping.abort()
  }

  /** Detaches from the attempt. Its programs keep running, and the next start of the runner resumes it. */
  detach(): void {
    this.#detached.abort()
    this.#finished.abort()
    this.#abandon()
  }

  #abandon(): void {
    this.#log?.abandon()
    this.#abandoned.abort()
  }

  /**
   * Executes the attempt until it ends or is detached. Returns whether the API has stored the end. Calls `onNextStep`
   * with the next step before the files of this one are removed. Does not throw.
   */
  async run(onNextStep: (next: Assignment) => void): Promise<boolean> {
    const { log, stopTimeouts, isolation } = this.#parts
    let isSettled = false
    try {
      const outcome = await this.#determineOutcome()
      if (!this.#abandoned.signal.aborted) {
        const settled = await this.#settle(outcome)
        isSettled = settled !== undefined
        if (settled?.next) onNextStep(settled.next)
      }
    } catch (error) {
      log.error({ err: error, step: this.assignment.id }, 'could not settle an attempt of a step')
    }
    if (this.#detached.signal.aborted) return isSettled
    await removeAttempt(this.#directory, stopTimeouts, isolation).catch((error) =>
      log.error({ err: error, step: this.assignment.id }, 'could not remove the files of an attempt'),
    )
    return isSettled
  }

  async #determineOutcome(): Promise<Outcome> {
    const { log } = this.#parts
    try {
      const outcome = await this.#execute()
      return this.#stopping.signal.aborted && outcome.status !== 'SUCCESS' ? this.#createAbortedOutcome() : outcome
    } catch (error) {
      if (error instanceof AttemptEnded) this.end('lost')
      if (this.#stopping.signal.aborted || this.#abandoned.signal.aborted) return this.#createAbortedOutcome()
      const known = toStepError(error, this.assignment)
      if (!known) log.error({ err: error, step: this.assignment.id }, 'the handler of a step failed unexpectedly')
      return { status: 'ERROR', error: known ?? createInternalError(this.assignment) }
    } finally {
      this.#finished.abort()
    }
  }

  #createAbortedOutcome(): Outcome {
    if (this.#endReason !== 'interrupted') return { status: 'CANCELLED' }
    return { status: 'ERROR', error: createInterruptedError(this.assignment) }
  }

  async #execute(): Promise<Outcome> {
    const { isolation, identity, logLimit, sharedFolders, stopTimeouts, handlers } = this.#parts
    const { order, log: position, organizationId, stepName, tenancy, traceparent } = this.assignment
    const rejection = isolation.checkTenancy(tenancy)
    if (rejection !== undefined) throw new StepFailure('programsNotIsolated', rejection)
    const files = ensureFolder(filesPath(ensureFolder(this.#directory)))
    const folders = [
      ...resolvePaths(this.#directory).flatMap(listAttemptFolders),
      ...sharedFolders.flatMap(resolvePaths),
    ]
    for (const folder of folders) this.#mask.addFolder(folder)
    const stepLog = new StepLog({
      position,
      mask: this.#mask,
      store: (piece) => this.#storeLogPiece(piece),
      limit: logLimit,
    })
    this.#log = stepLog
    const runnerVariables = { ...identity, ...(traceparent !== undefined && { TRACEPARENT: traceparent }) }
    const runnerLines = new RunnerLines(join(this.#directory, 'own.log'), stepLog)
    const { signal } = this.#stopping
    const programs = new Programs({
      organizationId,
      directory: this.#directory,
      log: stepLog,
      mask: this.#mask,
      signal,
      detached: this.#detached.signal,
      stopTimeouts,
      isolation,
    })
    const attempt: Attempt = {
      organizationId,
      stepName,
      directory: files,
      folders: createAttemptFolders(this.#directory),
      signal,
      finished: this.#finished.signal,
      api: this.#api,
      log: (line) => runnerLines.write(line),
      lastLogLines: () => stepLog.lastLines,
      mask: (secret) => this.#mask.add(secret),
      reportProgress: (detail) => this.#api.reportProgress(this.#mask.hideInValue(detail)),
      runProgram: (name, command) => programs.run(name, { ...command, env: { ...runnerVariables, ...command.env } }),
      readStdout: (name, mostBytes) => programs.readStdout(name, mostBytes),
      readResult: (path, mostBytes) => programs.readResult(path, mostBytes),
    }
    const outcome = await executeOrder(handlers, attempt, order)
    for (const line of listOmissions(outcome)) runnerLines.write(line)
    return outcome
  }

  /** Stores a piece of the log. A rejected piece may be the first sign that the attempt is lost. */
  async #storeLogPiece(piece: LogChunk): Promise<void> {
    try {
      await this.#api.storeLogPiece(piece)
    } catch (error) {
      if (error instanceof AttemptEnded) this.end('lost')
      throw error
    }
  }

  /**
   * Reports the outcome together with the rest of the log, which saves a call per step. If the report fails or is
   * rejected, reports an error of the step instead. Returns undefined if the attempt was abandoned.
   */
  async #settle(outcome: Outcome): Promise<CompleteAttemptResponse | undefined> {
    this.#isSettling = true
    try {
      return await this.#sendSettlement(outcome).catch((error) => {
        if (error instanceof AttemptEnded || this.#abandoned.signal.aborted) throw error
        this.#parts.log.error({ err: error, step: this.assignment.id }, 'the API does not accept the outcome of a step')
        const cause = toStepError(error, this.assignment) ?? createInternalError(this.assignment)
        return this.#api.settle({ outcome: { status: 'ERROR', error: cause }, log: [] })
      })
    } catch (error) {
      if (error instanceof AttemptEnded) return {}
      if (!this.#abandoned.signal.aborted) throw error
      return undefined
    }
  }

  async #sendSettlement(outcome: Outcome): Promise<CompleteAttemptResponse> {
    const log = (await this.#log?.takeUnstored()) ?? []
    const goesOn = this.assignment.mayGoOn && this.#acceptsNextStep && this.#endReason === undefined
    const masked = mapOutcome(outcome, (value) => this.#mask.hideInValue(value))
    return this.#api.settle({ outcome: masked, log, ...(goesOn && { goesOn }) })
  }
}

function executeOrder(handlers: OrderHandlers, attempt: Attempt, order: Order): Promise<Outcome> {
  switch (order.kind) {
    case 'build':
      return handlers.build(attempt, order)
    case 'command':
      return handlers.command(attempt, order)
    case 'iac':
      return handlers.iac(attempt, order)
  }
}

/** Maximum number of omitted values that the log lists. */
const maxLoggedOmissions = 20

function listOmissions(outcome: Outcome): string[] {
  const { omittedValues = [] } = outcome.status === 'SUCCESS' ? outcome : {}
  return omittedValues
    .slice(0, maxLoggedOmissions)
    .map(({ path, reason }) => `Sluice does not store ${path}: ${reason}.`)
}

/** Returns the step error for an expected exception; undefined for an unexpected one. */
function toStepError(error: unknown, { stepName }: Assignment): StepError | undefined {
  if (error instanceof StepFailure || error instanceof AttemptRejected) return error.error
  if (error instanceof ReportRejected) return createReportRejectedError(stepName, error)
  if (!(error instanceof ProgramNotFound)) return undefined
  return {
    code: failures.programMissing.code,
    message: `Cannot run ${error.program}: the program was not found on the runner.`,
    description: error.hiddenPath
      ? `It exists as ${error.hiddenPath}, which is not visible to programs of steps. Add its folder to SLUICE_RUNNER_TOOLS.`
      : 'Install it on the machine of the runner in a folder of PATH, or use its path in the source of the step.',
  }
}

const createReportRejectedError = (stepName: string, { path, status, message }: ReportRejected): StepError => ({
  code: failures.stepBroke.code,
  message: `The API does not accept the report of the step ${stepName}: ${message.replace(/\.$/, '')}.`,
  description:
    'See the logs of the API and of the runner for the reason. An apply may have changed infrastructure: plan again.',
  metadata: { path, status },
})

const createInternalError = ({ stepName }: Assignment): StepError => ({
  code: failures.stepBroke.code,
  message: `The step ${stepName} failed because of an internal error of Sluice.`,
  description: 'See the log of the runner for the cause.',
})

const createInterruptedError = ({ stepName }: Assignment): StepError => ({
  code: failures.runnerTaskEnded.code,
  message: `The runner was stopped before the step ${stepName} finished.`,
  description:
    'The runner interrupted its program. If the runner was a task in a cloud account, see in that account who stopped ' +
    'it and why. Any other runner had no time left to finish: see SLUICE_RUNNER_DRAIN_SECONDS.',
})
