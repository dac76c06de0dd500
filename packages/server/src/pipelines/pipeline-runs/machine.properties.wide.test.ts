import { isStepOver } from '@sluice/contract'
import type { Outcome } from '@sluice/contract/runner-protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { StepConfig } from '../pipeline-versions/config/schema.ts'
import type { PipelineRunRow } from '../pipelines/tables.ts'
import type { Step } from './attempt.ts'
import { changesInfrastructure } from './gates/freezes.ts'
import { isDispatched, type Verdict } from './machine.ts'
import { anyConfig, mayHaveBegun, Simulation } from './simulation.fixture.ts'

const runs = 3_000

const config = anyConfig(['command', 'command', 'iac:apply', 'http', 'deploy', 'approval'])

const outcome = fc.constantFrom<Outcome>(
  { status: 'SUCCESS', output: { a: 1 } },
  { status: 'SUCCESS' },
  { status: 'ERROR', error: { code: 'Sluice:Test:BROKEN', message: 'It broke.' } },
)
const stepNumber = fc.nat({ max: 29 })
const event = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('claim' as const), step: stepNumber }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('settle' as const), step: stepNumber, outcome }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('decide' as const), step: stepNumber, yes: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.nat({ max: 40_000 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wake' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('freeze' as const), ms: fc.nat({ max: 1_200_000 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('lift' as const) }) },
)
type Event = typeof event extends fc.Arbitrary<infer E> ? E : never

function apply(simulation: Simulation, one: Event): void {
  const stepOf = (number: number) => simulation.steps[number % simulation.steps.length]?.stepId ?? ''
  if (one.do === 'claim') simulation.claim(stepOf(one.step))
  if (one.do === 'settle') simulation.settle(stepOf(one.step), one.outcome)
  if (one.do === 'decide') simulation.decide(stepOf(one.step), one.yes)
  if (one.do === 'pass') simulation.pass(one.ms)
  if (one.do === 'wake') simulation.passToWake()
  if (one.do === 'freeze') simulation.freeze = freezeUntil(new Date(simulation.now.getTime() + one.ms))
  if (one.do === 'lift') simulation.freeze = null
  if (one.do === 'freeze' || one.do === 'lift') simulation.look()
}

const freezeUntil = (until: Date) => ({ freezeId: 'frz_1', name: 'Holidays', reason: undefined, until })

const script = fc.record({
  config,
  events: fc.array(event, { maxLength: 60 }),
  isGo: fc.boolean(),
  isAutoApproved: fc.boolean(),
  mostAtOnce: fc.constantFrom(1, 3, 20),
})
type Script = typeof script extends fc.Arbitrary<infer S> ? S : never

function simulate({ config, isGo, isAutoApproved, mostAtOnce }: Script): Simulation {
  const says = (step: StepConfig, succeeded: boolean): Verdict => {
    const isTrue = step.when === '<< inputs.go >>' ? isGo : step.when === '<< !needs.succeeded >>' ? !succeeded : true
    return { do: isTrue ? 'go' : 'skip' }
  }
  const simulation = new Simulation(config, {
    says,
    run: { isAutoApproved },
    limits: { mostAtOnce, hasSharedRunners: true },
  })
  simulation.onLook = (before) => expectSound(simulation, before)
  return simulation
}

/** Checks the invariants after every pass. */
function expectSound(simulation: Simulation, before: { run: PipelineRunRow; steps: readonly Step[] }): void {
  const { run, steps, isOver, now } = simulation
  const wasOver = before.steps.filter(({ status }) => isStepOver(status))
  for (const step of wasOver) expect(simulation.step(step.stepId)).toBe(step)
  if (isOver) expect(steps.every(({ status }) => isStepOver(status))).toBe(true)
  expect(run.wakeAt === null).toBe(isOver)
  if (run.wakeAt) expect(run.wakeAt.getTime()).toBeGreaterThan(now.getTime())
  const inProgress = steps.filter((step) => step.status === 'IN_PROGRESS' || isDispatched(step))
  expect(inProgress.length).toBeLessThanOrEqual(simulation.limits.mostAtOnce)
  for (const [index, step] of steps.entries()) {
    const previous = before.steps[index]
    if (step === previous) continue
    const hasBegun = isDispatched(step) || ['IN_PROGRESS', 'PENDING_APPROVAL', 'SUCCESS'].includes(step.status)
    if (hasBegun) expect(mayHaveBegun(simulation, step.stepId), `${step.stepId} began`).toBe(true)
    const isNew = isDispatched(step) && previous && !isDispatched(previous)
    if (isNew) expect(run.cancelRequest).toBeNull()
    const isFrozen = simulation.freeze !== null && simulation.freeze !== undefined && now < simulation.freeze.until
    if (isNew && changesInfrastructure(step.stepType)) expect(isFrozen).toBe(false)
    const attempts = simulation.config.steps[index]?.retry?.attempts ?? 1
    expect(step.retryAttempt).toBeLessThan(attempts)
    expect(step.isLastRetry).toBe(step.retryAttempt === attempts - 1)
  }
}

const sameAgain = (simulation: Simulation) => {
  const { run, steps } = simulation
  simulation.look()
  expect(simulation.run).toEqual(run)
  expect(simulation.steps).toEqual(steps)
}

test('the invariants hold after every pass, and every run ends once its attempts do', () => {
  fc.assert(
    fc.property(script, (given) => {
      const simulation = simulate(given)
      simulation.look()
      for (const one of given.events) apply(simulation, one)
      sameAgain(simulation)
      simulation.finish()
      const failed = simulation.config.steps.some(
        ({ id, on_failure }) => simulation.step(id).status === 'ERROR' && on_failure !== 'continue',
      )
      expect(simulation.run.status).toBe(failed ? 'ERROR' : 'SUCCESS')
      sameAgain(simulation)
    }),
    { numRuns: runs },
  )
}, 120_000)

test('from any state, a cancelled run starts nothing more and ends when its active steps have stopped', () => {
  fc.assert(
    fc.property(script, fc.nat({ max: 60 }), (given, at) => {
      const simulation = simulate(given)
      simulation.look()
      for (const one of given.events.slice(0, at)) apply(simulation, one)
      fc.pre(!simulation.isOver)
      simulation.cancel()
      const running = simulation.steps.filter(({ status }) => status === 'IN_PROGRESS')
      expect(simulation.isOver).toBe(running.length === 0)
      for (const step of running) expect(step.cancelRequestedAt).not.toBeNull()
      for (const one of given.events.slice(at)) apply(simulation, one)
      simulation.finish()
      expect(simulation.run).toMatchObject({ status: 'CANCELLED', error: { code: 'Sluice:PipelineRuns:CANCELLED' } })
    }),
    { numRuns: runs },
  )
}, 120_000)

test('a run whose runners, workers and users do nothing ends by its deadline, except for its workers', () => {
  fc.assert(
    fc.property(script, (given) => {
      const simulation = simulate(given)
      simulation.look()
      // Runners lease steps and vanish, and no user decides.
      for (let looks = 0; !simulation.isOver && looks < 300; looks++) {
        for (const step of simulation.steps) simulation.claim(step.stepId)
        for (const step of simulation.steps.filter(({ leaseUntil }) => leaseUntil === null)) {
          simulation.settle(step.stepId, { status: 'SUCCESS' })
        }
        simulation.passToWake()
      }
      expect(simulation.isOver).toBe(true)
    }),
    { numRuns: runs },
  )
}, 120_000)
