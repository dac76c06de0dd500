import { join } from 'node:path'
import { failures } from '@sluice/contract/errors'
import type { Assignment, LogPiece, Order, Outcome, Settled } from '@sluice/contract/runner-protocol'
import { mapOutcome } from '@sluice/contract/runner-protocol/map-outcome'
import { AttemptCalls, AttemptOver, AttemptRefused, ReportRejected } from './api/attempt-calls.ts'
import type { Call } from './api/call.ts'
import type { Lease } from './api/lease.ts'
import type { Attempt, Works } from './attempt.ts'
import { StepFailure } from './failure.ts'
import type { Isolation } from './isolation/isolation.ts'
import { Mask } from './log/mask.ts'
import { OwnLines } from './log/own-lines.ts'
import { StepLog } from './log/step-log.ts'
import { filesIn, foldersBelow, furtherFolders, makeFolder, pathsOf } from './programs/folders.ts'
import { ProgramMissing, type StopPace } from './programs/process.ts'
import { clearAttempt, Programs } from './programs/programs.ts'
import type { Log } from './runner-log.ts'

export type CarryOutParts = {
  call: Call
  lease: Lease
  works: Works
  log: Log
  stopPace: StopPace
  isolation: Isolation
  /** Folders of the runner that attempts share: what is stored of an attempt does not say where they are. */
  sharedFolders: readonly string[]
  /** What every program is given beside its own: the identity that a task has in its account. */
  identity?: Record<string, string>
  /** The most that is kept of a log, where the usual is not right. Bytes. */
  logLimit?: number | undefined
}

type StepError = Extract<Outcome, { status: 'ERROR' }>['error']

/**
 * Why an attempt ends before its work is done. A lost one is another runner's by now, or nobody's: it writes nothing.
 * One is interrupted that nobody can go on with, since its runner must end.
 */
export type Ending = 'stopped' | 'interrupted' | 'lost'

/** An attempt that a runner has in its hands. */
export class CarriedOut {
  readonly assignment: Assignment
  readonly #parts: CarryOutParts
  readonly #directory: string
  readonly #mask = new Mask()
  readonly #calls: AttemptCalls
  readonly #abort = new AbortController()
  readonly #left = new AbortController()
  readonly #over = new AbortController()
  /** Nothing is said for it any more: it is lost, or left. */
  readonly #abandoned = new AbortController()
  #ending: Ending | undefined
  #takesNext = true
  #isSettling = false
  #log: StepLog | undefined

  /** `directory` is the attempt's alone. */
  constructor(parts: CarryOutParts, assignment: Assignment, directory: string) {
    const { call, lease, log } = parts
    this.assignment = assignment
    this.#parts = parts
    this.#directory = directory
    for (const secret of [...assignment.secrets, assignment.token]) this.#mask.add(secret)
    const onAway = (error: Error) => log.warn({ err: error, step: assignment.id }, 'the API is waited for')
    this.#calls = new AttemptCalls({ call, lease, token: assignment.token, abandoned: this.#abandoned.signal, onAway })
  }

  /** The runner takes no further steps: not the one after this, either. */
  takeNoNext(): void {
    this.#takesNext = false
  }

  /** Makes it end early; its programs are stopped. */
  end(ending: Ending): void {
    // A heartbeat finds it lost as soon as its end is written down, while the answer, with what is next, is on its way.
    if (this.#isSettling) return
    this.#ending = this.#ending === 'lost' || ending === 'lost' ? 'lost' : (this.#ending ?? ending)
    if (this.#ending === 'lost') this.#abandon()
    this.#abort.abort()
  }

  /** Leaves it as it is, with its programs running: the next start of the runner goes on with it. */
  leave(): void {
    this.#left.abort()
    this.#over.abort()
    this.#abandon()
  }

  #abandon(): void {
    this.#log?.abandon()
    this.#abandoned.abort()
  }

  /**
   * From here to the end of the attempt, or until it is left; answers with whether the API knows of the end. `goOn` is
   * given the attempt that follows it, which need not wait until all is removed. Does not throw.
   */
  async run(goOn: (next: Assignment) => void): Promise<boolean> {
    const { log, stopPace, isolation } = this.#parts
    let isOver = false
    try {
      const outcome = await this.#outcome()
      if (!this.#abandoned.signal.aborted) {
        const settled = await this.#settle(outcome)
        isOver = settled !== undefined
        if (settled?.next) goOn(settled.next)
      }
    } catch (error) {
      log.error({ err: error, step: this.assignment.id }, 'an attempt of a step could not be brought to its end')
    }
    if (this.#left.signal.aborted) return isOver
    await clearAttempt(this.#directory, stopPace, isolation).catch((error) =>
      log.error({ err: error, step: this.assignment.id }, 'what an attempt of a step has left could not be removed'),
    )
    return isOver
  }

  async #outcome(): Promise<Outcome> {
    const { log } = this.#parts
    try {
      const outcome = await this.#work()
      return this.#abort.signal.aborted && outcome.status !== 'SUCCESS' ? this.#cutShort() : outcome
    } catch (error) {
      if (error instanceof AttemptOver) this.end('lost')
      if (this.#abort.signal.aborted || this.#abandoned.signal.aborted) return this.#cutShort()
      const known = errorOf(error, this.assignment)
      if (!known) log.error({ err: error, step: this.assignment.id }, 'the work of a step broke')
      return { status: 'ERROR', error: known ?? broken(this.assignment) }
    } finally {
      this.#over.abort()
    }
  }

  #cutShort(): Outcome {
    if (this.#ending !== 'interrupted') return { status: 'CANCELLED' }
    return { status: 'ERROR', error: interrupted(this.assignment) }
  }

  async #work(): Promise<Outcome> {
    const { isolation, identity, logLimit, sharedFolders, stopPace, works } = this.#parts
    const { order, log: place, organizationId, stepName, tenancy, traceparent } = this.assignment
    const refusal = isolation.refusal(tenancy)
    if (refusal !== undefined) throw new StepFailure('programsNotIsolated', refusal)
    const files = makeFolder(filesIn(makeFolder(this.#directory)))
    const folders = [...pathsOf(this.#directory).flatMap(foldersBelow), ...sharedFolders.flatMap(pathsOf)]
    for (const folder of folders) this.#mask.addFolder(folder)
    const stepLog = new StepLog({ place, mask: this.#mask, store: (piece) => this.#store(piece), limit: logLimit })
    this.#log = stepLog
    const ours = { ...identity, ...(traceparent !== undefined && { TRACEPARENT: traceparent }) }
    const own = new OwnLines(join(this.#directory, 'own.log'), stepLog)
    const { signal } = this.#abort
    const programs = new Programs({
      organizationId,
      directory: this.#directory,
      log: stepLog,
      mask: this.#mask,
      signal,
      left: this.#left.signal,
      stopPace,
      isolation,
    })
    const attempt: Attempt = {
      organizationId,
      stepName,
      directory: files,
      folders: furtherFolders(this.#directory),
      signal,
      over: this.#over.signal,
      calls: this.#calls,
      log: (line) => own.say(line),
      lastLines: () => stepLog.lastLines,
      mask: (secret) => this.#mask.add(secret),
      showProgress: (detail) => this.#calls.progress(this.#mask.hideIn(detail)),
      process: (name, command) => programs.run(name, { ...command, env: { ...ours, ...command.env } }),
      stdoutOf: (name, mostBytes) => programs.stdoutOf(name, mostBytes),
      result: (path, mostBytes) => programs.result(path, mostBytes),
    }
    const outcome = await carryOut(works, attempt, order)
    for (const line of omissionsOf(outcome)) own.say(line)
    return outcome
  }

  /** An attempt that is not ours any more is found out here as well, by whoever writes much. */
  async #store(piece: LogPiece): Promise<void> {
    try {
      await this.#calls.log(piece)
    } catch (error) {
      if (error instanceof AttemptOver) this.end('lost')
      throw error
    }
  }

  /**
   * What is left of the log goes with the end: one call less for each step. An end that cannot be sent, or that the API
   * rejects, is not sent again: the step has broken then. Undefined where nobody may have heard.
   */
  async #settle(outcome: Outcome): Promise<Settled | undefined> {
    this.#isSettling = true
    try {
      return await this.#sendEnd(outcome).catch((error) => {
        if (error instanceof AttemptOver || this.#abandoned.signal.aborted) throw error
        this.#parts.log.error({ err: error, step: this.assignment.id }, 'the API does not take the end of a step')
        const cause = errorOf(error, this.assignment) ?? broken(this.assignment)
        return this.#calls.settle({ outcome: { status: 'ERROR', error: cause }, log: [] })
      })
    } catch (error) {
      if (error instanceof AttemptOver) return {}
      if (!this.#abandoned.signal.aborted) throw error
      return undefined
    }
  }

  async #sendEnd(outcome: Outcome): Promise<Settled> {
    const log = (await this.#log?.rest()) ?? []
    const goesOn = this.assignment.mayGoOn && this.#takesNext && this.#ending === undefined
    const masked = mapOutcome(outcome, (value) => this.#mask.hideIn(value))
    return this.#calls.settle({ outcome: masked, log, ...(goesOn && { goesOn }) })
  }
}

function carryOut(works: Works, attempt: Attempt, order: Order): Promise<Outcome> {
  switch (order.kind) {
    case 'build':
      return works.build(attempt, order)
    case 'command':
      return works.command(attempt, order)
    case 'iac':
      return works.iac(attempt, order)
  }
}

/** So many omitted values are named in the log. */
const maxLoggedOmissions = 20

function omissionsOf(outcome: Outcome): string[] {
  const { omittedValues = [] } = outcome.status === 'SUCCESS' ? outcome : {}
  return omittedValues
    .slice(0, maxLoggedOmissions)
    .map(({ path, reason }) => `Sluice does not store ${path}: ${reason}.`)
}

/** What is told of an error that work has thrown; undefined for what nobody foresaw. */
function errorOf(error: unknown, { stepName }: Assignment): StepError | undefined {
  if (error instanceof StepFailure || error instanceof AttemptRefused) return error.error
  if (error instanceof ReportRejected) return reportRejected(stepName, error)
  if (!(error instanceof ProgramMissing)) return undefined
  return {
    code: failures.programMissing.code,
    message: `There is no program ${error.program} on the runner.`,
    description: error.unseen
      ? `It is there as ${error.unseen}, which programs of steps do not see: put its folder into SLUICE_RUNNER_TOOLS.`
      : 'Install it on the machine of the runner, where PATH finds it, or name it by its path in the source of the step.',
  }
}

const reportRejected = (stepName: string, { path, status, message }: ReportRejected): StepError => ({
  code: failures.stepBroke.code,
  message: `The API does not accept what the runner reports of the step ${stepName}: ${message.replace(/\.$/, '')}.`,
  description:
    'The logs of the API and of the runner name the reason. An apply may have changed infrastructure: plan again.',
  metadata: { path, status },
})

const broken = ({ stepName }: Assignment): StepError => ({
  code: failures.stepBroke.code,
  message: `Sluice failed at the step ${stepName}.`,
  description: 'The log of the runner says why.',
})

const interrupted = ({ stepName }: Assignment): StepError => ({
  code: failures.runnerTaskEnded.code,
  message: `The runner was stopped before the step ${stepName} was done.`,
  description:
    'Its program was interrupted. For a task in a cloud account, the account shows who stopped it and why. A runner ' +
    'elsewhere had no time left to finish: see SLUICE_RUNNER_DRAIN_SECONDS.',
})
