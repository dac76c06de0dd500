import { isRunOver } from '@sluice/contract'
import type { Outcome } from '@sluice/contract/runner-protocol'
import fc from 'fast-check'
import { type BlockingFreeze, freezeGate } from '../../gates/freezes/machine.ts'
import type { PipelineConfig, StepConfig } from '../pipeline-versions/config/schema.ts'
import { needsOf } from '../pipeline-versions/config/steps.ts'
import type { PipelineRunRow } from '../pipelines/tables.ts'
import { applyOutcome, isLastAttempt, type Step } from './attempt.ts'
import { type ApprovalRuleResult, approveStep, rejectStep } from './gates/approval.ts'
import type { Clearance } from './gates/freezes.ts'
import {
  defaultLimits,
  isDispatched,
  isForRunners,
  type Limits,
  needsInput,
  readsNeeds,
  requestCancel,
  schedule,
  type Unapproved,
  type Verdict,
} from './machine.ts'
import { runRow, stepRow } from './rows.fixture.ts'

const leaseMs = 30_000

/** Returns whether an active freeze blocks a step. */
function clearanceBy(freeze: BlockingFreeze | undefined, now: Date): Clearance {
  const freezes = (freeze ? [freeze] : []).map(({ freezeId: id, name, reason = null, until }) => ({
    ...({ stops: ['APPLIES'], mode: 'ENFORCE', onRelease: 'WAIT', afterwards: 'ALL' } as const),
    id,
    name,
    reason,
    window: { from: '2026-01-01T00:00:00Z', until: until.toISOString() },
  }))
  const subject = { moment: 'APPLY', action: 'APPLIES', scope: {} } as const
  const found = freezeGate({ freezes: freezes.map((one) => ({ ...one, stops: [...one.stops] })), overrides: [] })
  const blocker = found.blocker(subject, now)
  return blocker?.decision === 'wait' ? blocker : { decision: 'proceed' }
}

/**
 * Simulated run whose runners, workers and users act as a test says. Makes a pass after every change, as the engine
 * object does.
 */
export class Simulation {
  readonly config: PipelineConfig
  run: PipelineRunRow
  steps: Step[]
  now = new Date('2026-03-05T12:00:00Z')
  groupHeldBy: string | undefined
  /** Missing approvals of its version. */
  unapproved: Unapproved | undefined
  /** Freeze that blocks infrastructure changes; null for none, undefined if the organization has no freezes. */
  freeze: BlockingFreeze | null | undefined
  /** Approval rule for every step that Ada has not approved; undefined if there are no rules for steps. */
  ruling: ApprovalRuleResult | undefined
  /** Whether the rule has become stricter, so that her approval is not sufficient. */
  isStricter = false
  readonly limits: Limits
  /** Callback after every pass, with the state before it. */
  onLook: (before: { run: PipelineRunRow; steps: readonly Step[] }) => void = () => {}
  readonly #says: (config: StepConfig, succeeded: boolean) => Verdict

  constructor(
    config: PipelineConfig,
    {
      run = {},
      says = (_, succeeded) => ({ do: succeeded ? 'go' : 'skip' }),
      limits = defaultLimits,
    }: {
      run?: Partial<PipelineRunRow>
      says?: (config: StepConfig, succeeded: boolean) => Verdict
      limits?: Limits
    } = {},
  ) {
    this.config = config
    this.run = runRow(run)
    this.steps = config.steps.map((step, position) => plannedRow(config, step, position))
    this.#says = says
    this.limits = limits
  }

  get isOver(): boolean {
    return isRunOver(this.run.status)
  }

  step(id: string): Step {
    const step = this.steps.find(({ stepId }) => stepId === id)
    if (!step) throw new Error(`there is no step ${id}`)
    return step
  }

  /** Returns the statuses of the steps, in the order of the config. */
  get statuses(): string[] {
    return this.steps.map(({ status }) => status)
  }

  look(): void {
    const before = { run: this.run, steps: this.steps }
    const verdicts = new Map<string, Verdict>()
    const { config, now, groupHeldBy, unapproved, limits, freeze, ruling } = this
    const clearances = freeze === undefined ? undefined : new Map<string, Clearance>()
    const rulings = ruling && new Map<string, ApprovalRuleResult>()
    for (;;) {
      const situation = {
        config,
        run: this.run,
        steps: this.steps,
        groupHeldBy,
        unapproved,
        verdicts,
        clearances,
        rulings,
        engineRunId: 'inv_1',
        limits,
        now,
      }
      const { run, steps, ...asking } = schedule(situation)
      const { toJudge, toClear, toRule } = asking
      this.run = run
      this.steps = steps
      if (!needsInput(asking)) break
      for (const step of toRule) rulings?.set(step.stepId, this.#isMet(step) ? 'free' : (ruling ?? 'free'))
      for (const { stepId } of toClear) clearances?.set(stepId, clearanceBy(freeze ?? undefined, now))
      for (const { config: step, succeeded } of toJudge) verdicts.set(step.id, this.#says(step, succeeded))
    }
    this.onLook(before)
  }

  pass(ms: number): void {
    this.now = new Date(this.now.getTime() + ms)
    this.look()
  }

  /** Advances the time to the next pass of the run. */
  passToWake(): void {
    const { wakeAt } = this.run
    if (wakeAt && wakeAt > this.now) this.now = wakeAt
    this.look()
  }

  /** Leases a dispatched step as a runner or worker. */
  claim(id: string): void {
    const step = this.step(id)
    if (!isDispatched(step)) return
    const leaseUntil = isForRunners(step.stepType) ? new Date(this.now.getTime() + leaseMs) : null
    this.#put({
      ...step,
      status: 'IN_PROGRESS',
      attemptEpoch: step.attemptEpoch + 1,
      startedAt: this.now,
      leaseUntil,
      wakeAt: null,
    })
  }

  settle(id: string, outcome: Outcome): void {
    const step = this.step(id)
    if (step.status !== 'IN_PROGRESS') return
    const config = this.config.steps.find((one) => one.id === id)
    this.#put(applyOutcome(step, config, this.run, outcome, this.now))
  }

  decide(id: string, isApproved: boolean): void {
    const step = this.step(id)
    if (step.status !== 'PENDING_APPROVAL') return
    const decision = { approved: isApproved, by: 'Ada', at: this.now.toISOString() }
    this.#put(isApproved ? approveStep(step, decision) : rejectStep(step, decision, this.now))
  }

  cancel(): void {
    if (this.isOver) return
    const error = { code: 'Sluice:PipelineRuns:CANCELLED', message: 'Ada cancelled the run.' }
    this.run = requestCancel(this.run, { by: 'Ada', at: this.now.toISOString(), error })
    this.look()
  }

  /** Lets everything succeed from now on: leases, attempts, stops, and the passing of time. */
  finish(): void {
    for (let rounds = 0; !this.isOver; rounds++) {
      if (rounds > 20 * this.steps.length + 20) throw new Error('the run does not end')
      for (const { stepId } of this.steps) this.claim(stepId)
      for (const { stepId, cancelRequestedAt } of this.steps) {
        this.settle(stepId, { status: cancelRequestedAt ? 'CANCELLED' : 'SUCCESS' })
        this.decide(stepId, true)
      }
      this.passToWake()
    }
  }

  #isMet = ({ decision }: Step): boolean => decision?.by === 'Ada' && !this.isStricter

  #put(step: Step): void {
    this.steps = this.steps.map((one) => (one.stepId === step.stepId ? step : one))
    this.look()
  }
}

function plannedRow(config: PipelineConfig, step: StepConfig, position: number): Step {
  const needs = needsOf(config.steps, position)
  const named = { id: `step_${step.id}`, stepId: step.id, stepName: step.id, stepType: step.type, position }
  const queue = needs.length === 0 ? {} : { queueReason: 'DEPENDENCIES' as const, queueMetadata: { needs } }
  return stepRow({ ...named, ...queue, isLastRetry: isLastAttempt(step.retry, 0) })
}

/** Reports whether the needs of a step that started allowed it to start. */
export function mayHaveBegun({ config, steps }: Simulation, id: string): boolean {
  const index = config.steps.findIndex((step) => step.id === id)
  const when = config.steps[index]?.when
  const over = ['SUCCESS', 'ERROR', 'CANCELLED', 'SKIPPED']
  const byId = new Map(steps.map((step) => [step.stepId, step]))
  return needsOf(config.steps, index).every((need) => {
    const status = byId.get(need)?.status ?? ''
    if (readsNeeds(when)) return over.includes(status)
    const isTolerated = config.steps.find((step) => step.id === need)?.on_failure === 'continue'
    return status === 'SUCCESS' || (status === 'ERROR' && isTolerated)
  })
}

const seldom = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 3 })
const approval = fc.record({
  timeout_seconds: fc.integer({ min: 1, max: 100 }),
  on_timeout: fc.constantFrom('reject' as const, 'approve' as const),
})
const retry = fc.record({ attempts: fc.integer({ min: 1, max: 3 }), backoff_seconds: fc.integer({ min: 0, max: 60 }) })
const when = fc.constantFrom<StepConfig['when']>(true, false, '<< inputs.go >>', '<< !needs.succeeded >>', '<< true >>')

const shapeOf = (types: StepConfig['type'][]) =>
  fc.record({
    type: fc.constantFrom(...types),
    when: seldom(when),
    approval: seldom(approval),
    retry: seldom(retry),
    timeout_seconds: seldom(fc.integer({ min: 1, max: 120 })),
    on_failure: fc.constantFrom(undefined, undefined, 'continue' as const),
    /** Distances to the steps that it needs, in a random order; undefined for the step before it. */
    reach: seldom(fc.array(fc.nat({ max: 40 }), { maxLength: 4 })),
    rank: fc.double({ noNaN: true }),
  })

/** Generates configs with any acyclic graph, in which a step may need one that is listed after it. */
export const anyConfig = (types: StepConfig['type'][]): fc.Arbitrary<PipelineConfig> =>
  fc.array(shapeOf(types), { minLength: 1, maxLength: 30 }).map((shapes) => {
    const order = shapes.map((_, index) => index).toSorted((a, b) => (shapes[a]?.rank ?? 0) - (shapes[b]?.rank ?? 0))
    const isListed = shapes.every(({ reach }) => reach === undefined)
    const steps = shapes.map(({ reach, rank: _, ...step }, index): StepConfig => {
      const place = order.indexOf(index)
      const needs = (reach ?? []).flatMap((distance) => order[place - 1 - distance] ?? []).map((need) => `s${need}`)
      const given = Object.fromEntries(Object.entries(step).filter(([, value]) => value !== undefined))
      return { ...given, id: `s${index}`, ...(!isListed && { needs: [...new Set(needs)] }) } as StepConfig
    })
    return { steps }
  })
