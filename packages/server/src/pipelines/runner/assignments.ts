import { failures, type UserFacingError } from '@sluice/contract'
import type { Assignment, LogPosition, Outcome, Tenancy } from '@sluice/contract/runner-protocol'
import { ExpressionError } from '@sluice/expressions'
import type { Logger } from 'pino'
import { scopesOfStacks } from '../../modules/module-instances/places.ts'
import type { Seal } from '../../platform/crypto/seal.ts'
import type { Database, Db } from '../../platform/db/open.ts'
import { present } from '../../platform/present.ts'
import { asSpan, placeInTrace, type SpanOptions } from '../../platform/traces/present.ts'
import { loadRunContext, plainWith, type RunContext, renderStep } from '../pipeline-runs/context.ts'
import { missingPermission } from '../pipeline-runs/permissions.ts'
import { shownInput } from '../pipeline-runs/secrets.ts'
import type { AttemptKey } from '../pipeline-step-executions/present-attempt.ts'
import type { PipelineConfig, StepConfig } from '../pipeline-versions/config/schema.ts'
import type { PipelineRunRow, PipelineStepExecutionRow } from '../pipelines/tables.ts'
import { lastChunk, storedBytes } from '../step-logs/store.ts'
import { AttemptMemory, type CachedAttempt, type DispatchedAttempt } from './attempt-memory.ts'
import type { AttemptTokens } from './attempt-tokens.ts'
import { saveAttempt } from './claim.ts'
import type { Ordered, OrderMakers } from './order.ts'
import { NothingLeft, StepFailure } from './step-failure.ts'

export type AssignmentsParts = {
  ofOrganization: Database['ofOrganization']
  seal: Seal
  orders: OrderMakers
  attemptTokens: AttemptTokens
  log: Logger
  /** Ends an attempt without any work. */
  settle: (attempt: AttemptKey, outcome: Outcome) => Promise<unknown>
}

/** Run of a step and its config, if the caller has loaded them. */
export type KnownWork = { run: PipelineRunRow; config: PipelineConfig }

/** Creates the assignment of an attempt, which contains everything that the runner needs and nothing else. */
export class Assignments {
  readonly #memory = new AttemptMemory()
  readonly #parts: AssignmentsParts

  constructor(parts: AssignmentsParts) {
    this.#parts = parts
  }

  /** Returns undefined if the attempt ended before it started, because of a render error or because no work is left. */
  async assign(
    step: PipelineStepExecutionRow,
    { isNew, tenancy, known }: { isNew: boolean; tenancy: Tenancy; known?: KnownWork | undefined },
  ): Promise<Assignment | undefined> {
    const { ofOrganization, attemptTokens } = this.#parts
    const { organizationId, id, attemptEpoch, stepName } = step
    const db = ofOrganization(organizationId)
    const attempt = { organizationId, id, attemptEpoch }
    try {
      const rendered = (known && this.#plain(step, known)) ?? (await this.#render(step))
      if ('context' in rendered && isNew) {
        await this.#expectReach(step, rendered)
        await saveAttempt(db, attempt, { inputData: shownInput(rendered.value, rendered.secrets) })
      }
      const { run, config } = rendered
      const ordered = await rendered.makeOrder({ run, step, config, with: rendered.value, isNew })
      const secrets = [...rendered.secrets, ...(ordered.secrets ?? [])]
      this.#memory.keep(attempt, { ordered, secrets, given: { run, config, step } })
      const log = await logPlaceOf(db, step, isNew)
      const token = attemptTokens.issue(attempt)
      const mayGoOn = step.executionEnvironmentId === null
      const { order } = ordered
      const given = { id, attemptEpoch, token, organizationId, stepName, order, secrets, log, tenancy, mayGoOn }
      return await asSpan(spanOf(step, run), async () => ({ ...given, ...present({ traceparent: placeInTrace() }) }))
    } catch (error) {
      await this.#parts.settle(attempt, this.#endOf(step, error))
      return undefined
    }
  }

  /** Returns the instructions of an attempt in progress. */
  async known(step: PipelineStepExecutionRow): Promise<CachedAttempt> {
    const known = this.#memory.find(step)
    if (known) return known
    const found = await this.#findOut(step).catch((error) => {
      if (endsBeforeItBegins(error)) return { ordered: undefined, secrets: [] }
      throw error
    })
    const secrets = [...found.secrets, ...(found.ordered?.secrets ?? [])]
    return this.#memory.keep(step, { ordered: found.ordered, secrets })
  }

  /** Returns what this process dispatched for a token, without checking that the attempt is still in progress. */
  given(token: string): DispatchedAttempt | undefined {
    const attempt = this.#parts.attemptTokens.read(token)
    return attempt && this.#memory.find(attempt)?.given
  }

  forget(attempt: AttemptKey): void {
    this.#memory.forget(attempt)
  }

  async #findOut(step: PipelineStepExecutionRow): Promise<{ ordered: Ordered | undefined; secrets: string[] }> {
    const { run, config, value, secrets, makeOrder } = await this.#render(step)
    const ordered = await makeOrder({ run, step, config, with: value, isNew: false }).catch((error) => {
      if (endsBeforeItBegins(error)) return undefined
      throw error
    })
    return { ordered, secrets }
  }

  async #render(step: PipelineStepExecutionRow) {
    const { ofOrganization, seal } = this.#parts
    const db = ofOrganization(step.organizationId)
    const key = { organizationId: step.organizationId, id: step.pipelineRunId }
    const context = await loadRunContext(db, seal, key)
    const { run, config } = context
    const { own, makeOrder } = this.#orderOf(step, config)
    return { run, config, own, makeOrder, context, ...renderStep(context, own) }
  }

  /** Returns a step without templates, whose input was stored at its start. */
  #plain(step: PipelineStepExecutionRow, { run, config }: KnownWork) {
    const { own, makeOrder } = this.#orderOf(step, config)
    const value = plainWith(own)
    return value && { run, config, makeOrder, value, secrets: [] }
  }

  #orderOf(step: PipelineStepExecutionRow, config: PipelineConfig) {
    const own = config.steps.find(({ id }) => id === step.stepId)
    const makeOrder = own && this.#parts.orders[own.type]
    if (makeOrder) return { own, makeOrder }
    throw new StepFailure('stepTypeUnknown', `No runner executes steps of the type ${step.stepType}.`)
  }

  /** Checks that the run's principal may change the infrastructure of the step. */
  async #expectReach(step: PipelineStepExecutionRow, { context, own }: { context: RunContext; own: StepConfig }) {
    if (step.stackId === null) return
    const db = this.#parts.ofOrganization(step.organizationId)
    const scopes = await scopesOfStacks(db, step.organizationId, [step.stackId])
    const beyond = await missingPermission(db, context, own, { permission: 'pipeline-runs:write', scopes })
    if (beyond) throw new StepFailure('runBeyondRights', beyond.message, beyond)
  }

  #endOf(step: PipelineStepExecutionRow, error: unknown): Outcome {
    if (error instanceof NothingLeft) return error.outcome
    if (error instanceof StepFailure) return { status: 'ERROR', error: error.toError() }
    if (error instanceof ExpressionError) return { status: 'ERROR', error: notRendered(step, error) }
    this.#parts.log.error({ err: error, step: step.id }, 'the order for a step could not be made')
    return { status: 'ERROR', error: broken(step) }
  }
}

/** Returns the trace span of an attempt, to which the spans of its programs belong. */
const spanOf = ({ id, organizationId, attemptEpoch }: PipelineStepExecutionRow, run: PipelineRunRow): SpanOptions => ({
  name: 'step handed out',
  kind: 'producer',
  attributes: {
    'sluice.organizationId': organizationId,
    'sluice.pipelineRunId': run.id,
    'sluice.stepExecutionId': id,
    'sluice.attemptEpoch': attemptEpoch,
  },
  parent: run.traceparent ?? undefined,
})

const endsBeforeItBegins = (error: unknown): boolean =>
  error instanceof NothingLeft || error instanceof StepFailure || error instanceof ExpressionError

/** Returns the position at which an attempt's log continues. The first attempt of a step starts it. */
async function logPlaceOf(db: Db, step: PipelineStepExecutionRow, isNew: boolean): Promise<LogPosition> {
  const { organizationId, id, attemptEpoch } = step
  const last = isNew && attemptEpoch === 1 ? undefined : await lastChunk(db, organizationId, id)
  const sequence = last?.sequence ?? 0
  if (last?.attemptEpoch !== attemptEpoch) return { sequence, offsets: {}, bytes: 0, text: '' }
  return { sequence, offsets: last.offsets, text: last.text, bytes: await storedBytes(db, step) }
}

const notRendered = ({ stepName }: PipelineStepExecutionRow, { faults }: ExpressionError): UserFacingError => ({
  code: failures.templateInvalid.code,
  message: `The configuration of the step ${stepName} cannot be rendered.`,
  details: [
    { title: 'What is wrong', render: 'list', items: faults.map(({ path, message }) => `${path}: ${message}`) },
  ],
})

const broken = ({ stepName }: PipelineStepExecutionRow): UserFacingError => ({
  code: failures.stepBroke.code,
  message: `Sluice failed at the step ${stepName}.`,
  description: 'The log of the API says why.',
})
