import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { failures, type UserFacingError } from '@sluice/contract'
import { ExpressionError } from '@sluice/expressions'
import type { Logger } from 'pino'
import type { Seal } from '../../platform/crypto/seal.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Engine } from '../../platform/engine/client.ts'
import { tellEngine } from '../../platform/engine/tell.ts'
import { loadRunContext, renderStep } from '../pipeline-runs/context.ts'
import { maskSecrets } from '../pipeline-runs/secrets.ts'
import { settleAttempt } from '../pipeline-runs/settle.ts'
import { messagesOf } from '../pipeline-runs/tell.ts'
import type { AttemptKey } from '../pipeline-step-executions/present-attempt.ts'
import type { PipelineStepExecutionRow } from '../pipelines/tables.ts'
import type { Bell } from '../step-logs/bell.ts'
import { Mask } from '../step-logs/mask.ts'
import { StepLog } from '../step-logs/step-log.ts'
import { findRunOf, noteAttempt } from './claim.ts'
import { OwnLines } from './own-lines.ts'
import { ProgramMissing, type StopPace } from './process.ts'
import { clearAttempt, Programs } from './programs.ts'
import type { Attempt, Outcome, Works } from './work.ts'

export type CarryOutParts = {
  db: Db
  engine: Engine
  seal: Seal
  clock: () => Date
  log: Logger
  bell: Bell
  works: Works
  stopPace: StopPace
  /** The most that is kept of a log, where the usual is not right. Bytes. */
  logLimit?: number | undefined
}

/** Why an attempt ends before its work is done. A lost one is another runner's by now, or nobody's: it writes nothing. */
export type Ending = 'stopped' | 'lost'

/** Before the end of an attempt that could not be written down is written again. Milliseconds. */
const againMs = 1_000

/** An attempt that a runner has in its hands. */
export class CarriedOut {
  readonly key: AttemptKey
  readonly #parts: CarryOutParts
  readonly #step: PipelineStepExecutionRow
  readonly #directory: string
  readonly #mask = new Mask()
  readonly #abort = new AbortController()
  readonly #left = new AbortController()
  readonly #over = new AbortController()
  #ending: Ending | undefined
  #log: StepLog | undefined

  /** `directory` is the attempt's alone. */
  constructor(parts: CarryOutParts, step: PipelineStepExecutionRow, directory: string) {
    this.#parts = parts
    this.#step = step
    this.#directory = directory
    this.key = { organizationId: step.organizationId, id: step.id, attemptEpoch: step.attemptEpoch }
  }

  /** Makes it end early; its programs are stopped. */
  end(ending: Ending): void {
    this.#ending = this.#ending === 'lost' ? 'lost' : ending
    if (this.#isAbandoned()) this.#log?.abandon()
    this.#abort.abort()
  }

  /** Leaves it as it is, with its programs running: the next start of the runner goes on with it. */
  leave(): void {
    this.#left.abort()
    this.#over.abort()
    this.#log?.abandon()
  }

  /** From here to the end of the attempt, or until it is left. Does not throw. */
  async run(): Promise<void> {
    const { log, stopPace } = this.#parts
    try {
      const outcome = await this.#outcome()
      if (!this.#isAbandoned()) await this.#log?.flush()
      if (!this.#isAbandoned()) await this.#settle(this.#shown(outcome))
      if (!this.#left.signal.aborted) await clearAttempt(this.#directory, stopPace)
    } catch (error) {
      log.error({ err: error, step: this.key.id }, 'an attempt of a step could not be brought to its end')
    }
  }

  #isAbandoned(): boolean {
    return this.#ending === 'lost' || this.#left.signal.aborted
  }

  async #outcome(): Promise<Outcome> {
    const { log } = this.#parts
    try {
      const outcome = await this.#work()
      return this.#abort.signal.aborted && outcome.status !== 'SUCCESS' ? { status: 'CANCELLED' } : outcome
    } catch (error) {
      if (this.#abort.signal.aborted) return { status: 'CANCELLED' }
      const known = errorOf(error, this.#step)
      if (!known) log.error({ err: error, step: this.key.id }, 'the work of a step broke')
      return { status: 'ERROR', error: known ?? broken(this.#step) }
    } finally {
      this.#over.abort()
    }
  }

  async #work(): Promise<Outcome> {
    const { db, seal, clock, works, log, bell, logLimit, stopPace } = this.#parts
    const step = this.#step
    const files = join(this.#directory, 'files')
    await mkdir(files, { recursive: true, mode: 0o700 })
    const run = await findRunOf(db, step)
    const context = await loadRunContext(db, seal, run)
    const config = context.config.steps.find(({ id }) => id === step.stepId)
    const work = config && works[config.type]
    if (!work) return { status: 'ERROR', error: unknownType(step) }

    const { value, secrets } = renderStep(context, config)
    for (const secret of secrets) this.#mask.add(secret)
    await noteAttempt(db, this.key, { inputData: this.#shown(value) })

    const onStored = () => bell.ring(step.id)
    const parts = { db, attempt: this.key, mask: this.#mask, clock, log, onStored, limit: logLimit }
    const stepLog = await StepLog.open(parts)
    this.#log = stepLog
    const own = await OwnLines.open(join(this.#directory, 'own.log'), stepLog)
    const { signal } = this.#abort
    const left = this.#left.signal
    const programs = new Programs({
      directory: this.#directory,
      log: stepLog,
      mask: this.#mask,
      signal,
      left,
      stopPace,
    })
    const attempt: Attempt = {
      run,
      step,
      projectId: context.project.id,
      with: value,
      epoch: step.attemptEpoch,
      directory: files,
      signal,
      over: this.#over.signal,
      log: (line) => own.say(line),
      lastLines: () => stepLog.lastLines,
      mask: (secret) => this.#mask.add(secret),
      showProgress: (detail) => noteAttempt(db, this.key, { statusDetail: this.#shown(detail) }),
      process: (name, command) => programs.run(name, command),
    }
    return work(attempt)
  }

  /** Without the secrets that are known by now. */
  #shown<T>(value: T): T {
    return maskSecrets(value, this.#mask.secrets)
  }

  /** The end of an attempt must not be lost because the database is away for a while. */
  async #settle(outcome: Outcome): Promise<void> {
    const { db, engine, clock, log } = this.#parts
    while (!this.#isAbandoned()) {
      try {
        const settled = await settleAttempt(db, this.key, outcome, clock())
        if (settled) await tellEngine({ engine, log }, messagesOf({ runs: [settled.pipelineRunId] }))
        return
      } catch (error) {
        log.warn({ err: error, step: this.key.id }, 'the end of an attempt could not be written down yet')
        await sleep(againMs)
      }
    }
  }
}

/** What is told of an error that work has thrown; undefined for what nobody foresaw. */
function errorOf(error: unknown, { stepName }: PipelineStepExecutionRow): UserFacingError | undefined {
  if (error instanceof ExpressionError) {
    return {
      code: failures.templateInvalid.code,
      message: `The configuration of the step ${stepName} cannot be rendered.`,
      details: [
        {
          title: 'What is wrong',
          render: 'list',
          items: error.faults.map(({ path, message }) => `${path}: ${message}`),
        },
      ],
    }
  }
  if (error instanceof ProgramMissing) {
    return {
      code: failures.programMissing.code,
      message: `There is no program ${error.program} on the runner.`,
      description: `Install it on the machine of the runner, where PATH finds it, or name it by its path in the source of the step.`,
    }
  }
  return undefined
}

const broken = ({ stepName }: PipelineStepExecutionRow): UserFacingError => ({
  code: failures.stepBroke.code,
  message: `Sluice failed at the step ${stepName}.`,
  description: 'The log of the runner says why.',
})

const unknownType = ({ stepName, stepType }: PipelineStepExecutionRow): UserFacingError => ({
  code: failures.stepTypeUnknown.code,
  message: `The runner cannot carry out the step ${stepName} of the type ${stepType}.`,
  description: 'Start a runner of the same release as the rest of Sluice.',
})
