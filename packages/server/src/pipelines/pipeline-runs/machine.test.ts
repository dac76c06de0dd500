import { failures, type UserFacingError } from '@sluice/contract'
import { expandMatrices } from '@sluice/contract/pipeline-matrix'
import { describe, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import type { ApprovalConfig, StepConfig } from '../pipeline-versions/config/schema.ts'
import type { PipelineRunRow } from '../pipelines/tables.ts'
import { defaultLimits, readsNeeds } from './machine.ts'
import { Simulation } from './simulation.fixture.ts'

const command = (id: string, more: Partial<StepConfig> = {}): StepConfig => ({ id, type: 'command', ...more })
const broken = { status: 'ERROR', error: { code: 'Sluice:Test:BROKEN', message: 'It broke.' } } as const
const done = { status: 'SUCCESS', output: {} } as const

function simulate(steps: StepConfig[], run: Partial<PipelineRunRow> = {}): Simulation {
  const simulation = new Simulation({ steps }, { run })
  simulation.look()
  return simulation
}
type Ended = typeof done | (typeof broken & { error: UserFacingError })

function finishStep(simulation: Simulation, id: string, outcome: Ended = done): void {
  simulation.claim(id)
  simulation.settle(id, outcome)
}
const seconds = 1_000
const { mostAtOnce } = defaultLimits

describe('a ready step', () => {
  test('is dispatched to the runners or to a worker, with the id of the engine call', () => {
    const simulation = simulate([command('a'), { id: 'b', type: 'http', needs: [] }, command('c')])
    expect(simulation.run).toMatchObject({ status: 'IN_PROGRESS', startedAt: simulation.now, waitingFor: 'its steps' })
    expect(simulation.step('a')).toMatchObject({ queueReason: 'RUNNER_CAPACITY', wakeAt: null, engineRunId: 'inv_1' })
    expect(simulation.step('b')).toMatchObject({ queueReason: 'READY', wakeAt: expect.any(Date) })
    expect(simulation.step('c')).toMatchObject({ queueReason: 'DEPENDENCIES', queueMetadata: { needs: ['b'] } })
  })

  test('waits while the run has its maximum number of steps in progress', () => {
    const simulation = simulate(Array.from({ length: mostAtOnce + 2 }, (_, n) => command(`s${n}`, { needs: [] })))
    const waiting = { status: 'QUEUED', queueReason: 'CONCURRENCY', queueMetadata: { mostAtOnce } }
    expect(simulation.steps.slice(mostAtOnce)).toMatchObject([waiting, waiting])
    finishStep(simulation, 's0')
    expect(simulation.steps.slice(mostAtOnce)).toMatchObject([{ queueReason: 'RUNNER_CAPACITY' }, waiting])
  })

  test('of a matrix waits while its maximum number is in progress', () => {
    const strategy = { matrix: { site: ['a', 'b', 'c'] }, max_parallel: 2 }
    const simulation = simulate(expandMatrices([command('test', { strategy }), command('end')]))
    const waiting = { status: 'QUEUED', queueReason: 'CONCURRENCY', queueMetadata: { mostAtOnce: 2 } }
    expect(simulation.step('test-c')).toMatchObject(waiting)
    finishStep(simulation, 'test-a')
    expect(simulation.step('test-c')).toMatchObject({ queueReason: 'RUNNER_CAPACITY' })
    finishStep(simulation, 'test-b')
    expect(simulation.step('end')).toMatchObject({ queueReason: 'DEPENDENCIES' })
    finishStep(simulation, 'test-c')
    expect(simulation.step('end')).toMatchObject({ queueReason: 'RUNNER_CAPACITY' })
  })

  test('of an unknown type fails', () => {
    const simulation = simulate([{ id: 'a', type: 'magic' as 'http' }])
    expect(simulation.step('a').error?.code).toBe(failures.stepTypeUnknown.code)
    expect(simulation.run.status).toBe('ERROR')
  })
})

describe('after a failure', () => {
  const steps = [command('a'), command('b'), command('c', { needs: [] })]

  test('dependent steps are skipped with the reason, and other steps continue', () => {
    const simulation = simulate(steps)
    finishStep(simulation, 'a', broken)
    expect(simulation.statuses).toEqual(['ERROR', 'SKIPPED', 'QUEUED'])
    expect(simulation.step('b').statusDetail).toEqual({ skipped: 'It needs a, which is ERROR.' })
    finishStep(simulation, 'c')
    expect(simulation.run).toMatchObject({
      status: 'ERROR',
      error: { code: failures.stepFailed.code, message: 'The step a failed: It broke.', metadata: { stepId: 'a' } },
    })
  })

  test('the run continues if the step has `on_failure: continue`', () => {
    const simulation = simulate([command('a', { on_failure: 'continue' }), command('b')])
    finishStep(simulation, 'a', broken)
    finishStep(simulation, 'b')
    expect(simulation.statuses).toEqual(['ERROR', 'SUCCESS'])
    expect(simulation.run).toMatchObject({ status: 'SUCCESS', error: null })
  })

  test('a step whose condition reads `needs` decides for itself', () => {
    const says = (_: StepConfig, succeeded: boolean) => ({ do: succeeded ? ('skip' as const) : ('go' as const) })
    const config = { steps: [command('a'), command('b'), command('mend', { when: '<< !needs.succeeded >>' })] }
    const simulation = new Simulation(config, { says })
    simulation.look()
    finishStep(simulation, 'a', broken)
    expect(simulation.statuses).toEqual(['ERROR', 'SKIPPED', 'QUEUED'])
    expect(simulation.step('mend').queueReason).toBe('RUNNER_CAPACITY')
  })

  test('a skipped step does not count as successful', () => {
    const simulation = simulate([command('a', { when: false }), command('b')])
    expect(simulation.statuses).toEqual(['SKIPPED', 'SKIPPED'])
    expect(simulation.run.status).toBe('SUCCESS')
  })

  test('all failed steps are listed', () => {
    const simulation = simulate([command('a'), command('b', { needs: [] })])
    finishStep(simulation, 'a', broken)
    finishStep(simulation, 'b', broken)
    expect(simulation.run.error?.details).toEqual([{ title: 'Failed steps', render: 'list', items: ['a', 'b'] }])
  })

  test('the run has the details of the first failure', () => {
    const details = [{ title: 'Unknown variable', render: 'object' as const, object: { file: 'main.tf', line: 4 } }]
    const simulation = simulate([command('a')])
    finishStep(simulation, 'a', { ...broken, error: { ...broken.error, details } })
    expect(simulation.run.error?.details).toEqual(details)
  })
})

test(
  'the condition is checked for the use of needs',
  everyCase(
    [
      ['<< needs.succeeded >>', true],
      ["<< not needs['succeeded'] >>", true],
      ['<< inputs.needs.a >>', false],
      ['<< inputs.go >>', false],
      [true, false],
    ],
    (when, does) => expect(readsNeeds(when)).toBe(does),
  ),
)

test('a retry waits for its time, without a new condition check or approval', () => {
  const retry = { attempts: 2, backoff_seconds: 60 }
  const simulation = simulate([command('a', { retry, approval: {} })])
  simulation.decide('a', true)
  finishStep(simulation, 'a', broken)
  expect(simulation.step('a')).toMatchObject({ queueReason: 'RETRY_BACKOFF', retryAttempt: 1, isLastRetry: true })
  expect(simulation.run.status).toBe('IN_PROGRESS')
  simulation.pass(59 * seconds)
  expect(simulation.step('a').queueReason).toBe('RETRY_BACKOFF')
  simulation.pass(seconds)
  expect(simulation.step('a').queueReason).toBe('RUNNER_CAPACITY')
  finishStep(simulation, 'a')
  expect(simulation.step('a')).toMatchObject({ status: 'SUCCESS', attemptEpoch: 2, error: null })
})

describe('an attempt', () => {
  test('whose lease expires is lost', () => {
    const simulation = simulate([command('a')])
    simulation.claim('a')
    simulation.pass(29 * seconds)
    expect(simulation.step('a').status).toBe('IN_PROGRESS')
    simulation.pass(seconds)
    expect(simulation.step('a')).toMatchObject({ status: 'ERROR', error: { code: failures.runnerLost.code } })
  })

  test('that times out is stopped exactly then', () => {
    const simulation = simulate([command('a', { timeout_seconds: 20 })])
    simulation.pass(5 * seconds)
    simulation.claim('a')
    simulation.pass(15 * seconds)
    expect(simulation.run.wakeAt).toEqual(new Date(simulation.now.getTime() + 5 * seconds))
    simulation.pass(5 * seconds - 1)
    expect(simulation.step('a').cancelRequestedAt).toBeNull()
    simulation.pass(1)
    expect(simulation.step('a').cancelRequestedAt).toEqual(simulation.now)
    simulation.settle('a', { status: 'CANCELLED' })
    expect(simulation.run).toMatchObject({
      status: 'ERROR',
      error: { metadata: { stepCode: failures.stepTimedOut.code } },
    })
  })

  test('of a step that waits for others has the same default timeout', () => {
    const simulation = simulate([
      { id: 'a', type: 'deploy' },
      { id: 'b', type: 'deploy', needs: [], timeout_seconds: 60 },
    ])
    simulation.claim('a')
    simulation.claim('b')
    simulation.pass(40 * 86_400 * seconds)
    expect(simulation.step('a').cancelRequestedAt).toBeNull()
    expect(simulation.step('b').cancelRequestedAt).not.toBeNull()
  })
})

describe('an approval', () => {
  test('is requested when nothing else is in progress, and the run has the reason', () => {
    const simulation = simulate([{ id: 'gate', type: 'approval' }, command('b', { needs: [] }), command('c')])
    expect(simulation.run.status).toBe('IN_PROGRESS')
    finishStep(simulation, 'b')
    finishStep(simulation, 'c')
    expect(simulation.run).toMatchObject({ status: 'PENDING_APPROVAL', waitingFor: 'decisions about gate' })
    simulation.decide('gate', true)
    expect(simulation.step('gate')).toMatchObject({ status: 'SUCCESS', outputData: { approved: true, by: 'Ada' } })
    expect(simulation.run.status).toBe('SUCCESS')
  })

  test('that is rejected fails the step', () => {
    const simulation = simulate([command('a', { approval: {} })])
    simulation.decide('a', false)
    expect(simulation.run).toMatchObject({
      status: 'ERROR',
      error: { metadata: { stepCode: failures.stepRejected.code } },
    })
  })

  test(
    'that times out has the configured outcome',
    everyCase(
      [
        ['reject', 'ERROR', 'ERROR'],
        ['approve', 'QUEUED', 'IN_PROGRESS'],
      ] as const,
      (on_timeout, step, run) => {
        const simulation = simulate([command('a', { approval: { timeout_seconds: 60, on_timeout } })])
        expect(simulation.run.wakeAt).toEqual(new Date(simulation.now.getTime() + 60 * seconds))
        simulation.pass(59 * seconds)
        expect(simulation.run.status).toBe('PENDING_APPROVAL')
        simulation.pass(seconds)
        expect(simulation.step('a').status).toBe(step)
        expect(simulation.run.status).toBe(run)
      },
    ),
  )

  const plan: StepConfig = { id: 'plan', type: 'iac:plan' }
  const apply = (approval?: ApprovalConfig): StepConfig => ({
    id: 'apply',
    type: 'iac:apply',
    ...(approval && { approval }),
  })
  const gate = (approval: ApprovalConfig = {}): StepConfig => ({ id: 'gate', type: 'approval', approval })
  const other: StepConfig[] = [
    { id: 'plan2', type: 'iac:plan' },
    { id: 'apply2', type: 'iac:apply' },
  ]

  function planned(has_changes: boolean | undefined, after: StepConfig[], ruling?: Simulation['ruling']): Simulation {
    const simulation = new Simulation({ steps: [plan, ...after] })
    simulation.ruling = ruling
    simulation.look()
    simulation.claim('plan')
    simulation.settle('plan', { status: 'SUCCESS', output: { has_changes } })
    return simulation
  }

  test(
    "is required depending on changes in the plan, other waiting steps, and the pipeline's settings",
    everyCase(
      [
        [true, [apply({})], 'apply'],
        [undefined, [apply({})], 'apply'],
        [false, [apply({})], 'nobody'],
        [false, [apply({ on_no_changes: 'ask' })], 'apply'],
        [false, [apply({}), command('release')], 'apply'],
        [false, [apply({ on_no_changes: 'approve' }), command('release')], 'nobody'],
        [true, [apply({ on_no_changes: 'approve' }), command('release')], 'apply'],
        [false, [apply({}), gate(), command('release')], 'nobody'],
        [false, [apply({}), ...other], 'apply'],
        [true, [gate(), apply()], 'gate'],
        [false, [gate(), apply()], 'nobody'],
        [false, [gate({ on_no_changes: 'ask' }), apply()], 'gate'],
        [false, [gate(), apply(), command('release')], 'gate'],
        [false, [gate({ on_no_changes: 'approve' }), apply(), command('release')], 'nobody'],
        [false, [gate(), command('release')], 'gate'],
        [false, [gate()], 'gate'],
      ] as [boolean | undefined, StepConfig[], string][],
      (has_changes, after, asks) => {
        const asking = planned(has_changes, after).steps.filter(({ status }) => status === 'PENDING_APPROVAL')
        expect(asking.map(({ stepId }) => stepId)).toEqual(asks === 'nobody' ? [] : [asks])
      },
      { name: ([has_changes, after, asks]) => JSON.stringify([has_changes, after, asks]) },
    ),
  )

  test('that a plan without changes does not need is given by Sluice with the reason', () => {
    const simulation = planned(false, [gate(), apply()])
    const decision = { approved: true, by: 'Sluice', at: expect.any(String), comment: 'The plan has no changes.' }
    expect(simulation.step('gate')).toMatchObject({ status: 'SUCCESS', outputData: { approved: true } })
    expect(simulation.step('gate').decision).toEqual(decision)
    expect(simulation.step('apply')).toMatchObject({ queueReason: 'RUNNER_CAPACITY', decision: null })
  })

  test('is required by an approval rule even if the plan has no changes', () => {
    const simulation = planned(false, [apply({})], { withinSeconds: 60 })
    expect(simulation.step('apply')).toMatchObject({ status: 'PENDING_APPROVAL' })
  })

  test('is given with the start of a run that requests it', () => {
    const simulation = simulate([{ id: 'gate', type: 'approval' }], { isAutoApproved: true, triggeredBy: 'Eve' })
    expect(simulation.step('gate')).toMatchObject({ status: 'SUCCESS', decision: { approved: true, by: 'Eve' } })
  })
})

describe('in a concurrency group, a run', () => {
  test('waits for the one before it, with the reason', () => {
    const simulation = new Simulation({ steps: [command('a'), command('b')] }, { run: { concurrencyGroup: 'web' } })
    simulation.groupHeldBy = 'run_0'
    simulation.look()
    expect(simulation.run).toMatchObject({
      status: 'QUEUED',
      startedAt: null,
      waitingFor: expect.stringMatching('run_0'),
    })
    const queueMetadata = { group: 'web', heldByRunId: 'run_0' }
    expect(simulation.step('a')).toMatchObject({ queueReason: 'CONCURRENCY', queueMetadata })
    expect(simulation.step('b').queueReason).toBe('DEPENDENCIES')
    simulation.groupHeldBy = undefined
    simulation.look()
    expect(simulation.step('a').queueReason).toBe('RUNNER_CAPACITY')
  })

  test('is cancelled while it waits', () => {
    const simulation = new Simulation({ steps: [command('a')] }, { run: { concurrencyGroup: 'web' } })
    simulation.groupHeldBy = 'run_0'
    simulation.look()
    simulation.cancel()
    expect(simulation.run.status).toBe('CANCELLED')
    expect(simulation.statuses).toEqual(['CANCELLED'])
  })
})

describe('a run of an unapproved version', () => {
  const unapproved = { pipelineVersionId: 'plv_1', version: 2, asks: '0 of 1 by the policy “Ask”, of Security' }

  test('waits with the approvers as the reason, regardless of its group, and starts once it is approved', () => {
    const simulation = new Simulation({ steps: [command('a'), command('b')] }, { run: { concurrencyGroup: 'web' } })
    simulation.unapproved = unapproved
    simulation.groupHeldBy = 'run_0'
    simulation.look()
    expect(simulation.run).toMatchObject({
      status: 'QUEUED',
      startedAt: null,
      waitingFor: 'its version to be approved',
    })
    expect(simulation.step('a')).toMatchObject({ queueReason: 'VERSION_NOT_APPROVED', queueMetadata: unapproved })
    expect(simulation.step('b').queueReason).toBe('DEPENDENCIES')
    simulation.unapproved = undefined
    simulation.look()
    expect(simulation.step('a').queueReason).toBe('CONCURRENCY')
    simulation.groupHeldBy = undefined
    simulation.look()
    expect(simulation.step('a').queueReason).toBe('RUNNER_CAPACITY')
  })

  test('that has started continues, and only steps that have not started wait', () => {
    const simulation = new Simulation({ steps: [command('a')] })
    simulation.look()
    simulation.unapproved = unapproved
    simulation.look()
    expect(simulation.step('a').queueReason).toBe('RUNNER_CAPACITY')
  })

  test('is cancelled while it waits', () => {
    const simulation = new Simulation({ steps: [command('a')] })
    simulation.unapproved = unapproved
    simulation.look()
    simulation.cancel()
    expect(simulation.run.status).toBe('CANCELLED')
  })
})

describe('a run', () => {
  test('without steps succeeds', () => {
    expect(simulate([]).run).toMatchObject({ status: 'SUCCESS', wakeAt: null })
  })

  test('that exceeds its deadline is cancelled with the reason', () => {
    const simulation = simulate([{ id: 'gate', type: 'approval', approval: { timeout_seconds: 100 * 86_400 } }])
    simulation.pass(91 * 86_400 * seconds)
    expect(simulation.run).toMatchObject({ status: 'CANCELLED', error: { code: failures.runTimedOut.code } })
  })

  test('that is cancelled waits for active steps, but not for a lost runner', () => {
    const simulation = simulate([command('a'), command('b', { needs: [] }), { id: 'c', type: 'approval', needs: [] }])
    simulation.claim('a')
    simulation.claim('b')
    simulation.pass(10 * seconds)
    simulation.settle('b', done)
    simulation.cancel()
    expect(simulation.statuses).toEqual(['IN_PROGRESS', 'SUCCESS', 'CANCELLED'])
    expect(simulation.step('a').cancelRequestedAt).toEqual(simulation.now)
    expect(simulation.run).toMatchObject({ status: 'IN_PROGRESS', waitingFor: 'what it had begun to stop' })
    simulation.pass(20 * seconds)
    expect(simulation.statuses).toEqual(['CANCELLED', 'SUCCESS', 'CANCELLED'])
    expect(simulation.run).toMatchObject({ status: 'CANCELLED', completedAt: simulation.now })
  })

  test('keeps a wake-up that is early enough', () => {
    const simulation = simulate([command('a')])
    const { wakeAt, wakeSeq } = simulation.run
    simulation.pass(seconds)
    expect(simulation.run).toMatchObject({ wakeAt, wakeSeq })
    simulation.claim('a')
    expect(simulation.run).toMatchObject({ wakeAt, wakeSeq })
  })
})

describe('a step that changes infrastructure during a freeze', () => {
  const apply: StepConfig = { id: 'apply', type: 'iac:apply' }
  const holidays = (until: Date) => ({ freezeId: 'frz_1', name: 'Holidays', reason: 'We are away.', until })
  const hour = 3_600 * seconds

  function simulateFrozen(steps: StepConfig[], run: Partial<PipelineRunRow> = {}): Simulation {
    const simulation = new Simulation({ steps }, { run })
    simulation.freeze = holidays(new Date(simulation.now.getTime() + hour))
    simulation.look()
    return simulation
  }

  test('waits with the reason and who can override it, and continues automatically after the freeze', () => {
    const simulation = simulateFrozen([apply])
    const until = simulation.freeze?.until
    expect(simulation.step('apply')).toMatchObject({
      status: 'QUEUED',
      queueReason: 'FROZEN',
      queueMetadata: { freezeId: 'frz_1', name: 'Holidays', until: until?.toISOString() },
      statusDetail: {
        freeze: {
          message: `Waits for the end of the freeze “Holidays”, until ${until?.toISOString()}: We are away.`,
          description: expect.stringContaining('POST /freezes/frz_1/overrides'),
        },
      },
    })
    expect(simulation.run.status).toBe('IN_PROGRESS')
    while (simulation.step('apply').queueReason === 'FROZEN') {
      expect(simulation.now.getTime()).toBeLessThan(until?.getTime() ?? 0)
      simulation.passToWake()
    }
    expect(simulation.now).toEqual(until)
    expect(simulation.step('apply')).toMatchObject({ queueReason: 'RUNNER_CAPACITY', statusDetail: null })
  })

  test('continues at the next pass once the freeze is lifted, and waits longer if it is extended', () => {
    const simulation = simulateFrozen([apply])
    const until = new Date(simulation.now.getTime() + 2 * hour)
    simulation.freeze = holidays(until)
    simulation.look()
    expect(simulation.step('apply').queueMetadata).toMatchObject({ until: until.toISOString() })
    simulation.freeze = null
    simulation.look()
    expect(simulation.step('apply').queueReason).toBe('RUNNER_CAPACITY')
  })

  test('is approved before it waits, and not again', () => {
    const simulation = simulateFrozen([{ ...apply, approval: {} }])
    expect(simulation.run.status).toBe('PENDING_APPROVAL')
    simulation.decide('apply', true)
    expect(simulation.step('apply')).toMatchObject({ queueReason: 'FROZEN', decision: { by: 'Ada' } })
    simulation.freeze = undefined
    simulation.look()
    expect(simulation.step('apply')).toMatchObject({
      queueReason: 'RUNNER_CAPACITY',
      decision: { by: 'Ada' },
      statusDetail: { approval: expect.anything() },
    })
  })

  test('continues if it is running already, and its next attempt waits', () => {
    const simulation = simulate([{ ...apply, retry: { attempts: 2, backoff_seconds: 10 } }])
    simulation.claim('apply')
    simulation.freeze = holidays(new Date(simulation.now.getTime() + hour))
    simulation.pass(seconds)
    expect(simulation.step('apply').status).toBe('IN_PROGRESS')
    simulation.settle('apply', broken)
    simulation.pass(10 * seconds)
    expect(simulation.step('apply')).toMatchObject({ queueReason: 'FROZEN', retryAttempt: 1 })
  })

  test('waits even if it was queued for runners when the freeze began', () => {
    const simulation = simulate([apply])
    expect(simulation.step('apply').queueReason).toBe('RUNNER_CAPACITY')
    simulation.freeze = holidays(new Date(simulation.now.getTime() + hour))
    simulation.passToWake()
    expect(simulation.step('apply')).toMatchObject({ queueReason: 'FROZEN', attemptEpoch: 0 })
  })

  test('is cancelled at once with its run', () => {
    const simulation = simulateFrozen([apply])
    simulation.cancel()
    expect(simulation.run.status).toBe('CANCELLED')
    expect(simulation.step('apply')).toMatchObject({ status: 'CANCELLED', statusDetail: null })
  })

  test('does not hold up plans, programs and other independent steps', () => {
    const destroy: StepConfig = { id: 'destroy', type: 'iac:destroy' }
    const plan: StepConfig = { id: 'plan', type: 'iac:plan' }
    const steps = [destroy, plan, command('a')].map((step) => ({ ...step, needs: [] }))
    const reasons = simulateFrozen(steps).steps.map(({ queueReason }) => queueReason)
    expect(reasons).toEqual(['FROZEN', 'RUNNER_CAPACITY', 'RUNNER_CAPACITY'])
  })
})

describe('a step with an approval rule', () => {
  const ask = (approval: ApprovalConfig = {}): StepConfig => ({ id: 'ask', type: 'approval', approval })
  const rule = { withinSeconds: Number.POSITIVE_INFINITY }
  const apply: StepConfig = { id: 'apply', type: 'iac:apply' }
  const hour = 3_600 * seconds

  test('requires approval even if the run was started with approvals', () => {
    const simulation = new Simulation({ steps: [ask()] }, { run: { isAutoApproved: true } })
    simulation.ruling = rule
    simulation.look()
    expect(simulation.step('ask')).toMatchObject({ status: 'PENDING_APPROVAL', decision: null })
  })

  test.each(['before', 'while'])('is not approved by its timeout, whether the rule was created %s it waits', (when) => {
    const simulation = new Simulation({ steps: [ask({ timeout_seconds: 60, on_timeout: 'approve' })] })
    simulation.ruling = when === 'before' ? rule : 'free'
    simulation.look()
    simulation.ruling = rule
    simulation.pass(60_000)
    expect(simulation.step('ask')).toMatchObject({
      status: 'ERROR',
      decision: null,
      error: { code: failures.approvalExpired.code },
    })
  })

  test('waits as long as both the rule and its config allow', () => {
    const waits = (timeout_seconds: number, withinSeconds: number): number => {
      const simulation = new Simulation({ steps: [ask({ timeout_seconds })] })
      simulation.ruling = { withinSeconds }
      simulation.look()
      return Date.parse(simulation.step('ask').approval?.expiresAt ?? '') - simulation.now.getTime()
    }
    expect([waits(600, 60), waits(60, 600)]).toEqual([60_000, 60_000])
  })

  test.each(['while it waits for a runner', 'during a freeze'])(
    'requires approval again after the rule became stricter %s',
    (when) => {
      const simulation = new Simulation({ steps: [apply] })
      simulation.ruling = rule
      if (when === 'during a freeze') {
        const until = new Date(simulation.now.getTime() + hour)
        simulation.freeze = { freezeId: 'frz_1', name: 'Holidays', reason: 'We are away.', until }
      }
      simulation.look()
      simulation.decide('apply', true)
      expect(simulation.step('apply')).toMatchObject({ status: 'QUEUED', decision: { by: 'Ada' } })
      simulation.isStricter = true
      simulation.pass(hour)
      expect(simulation.step('apply')).toMatchObject({ status: 'PENDING_APPROVAL', decision: null, attemptEpoch: 0 })
      simulation.isStricter = false
      simulation.decide('apply', true)
      expect(simulation.step('apply').queueReason).toBe('RUNNER_CAPACITY')
    },
  )

  test('requires approval by a rule that was created while it waits for a runner', () => {
    const simulation = new Simulation({ steps: [apply] })
    simulation.ruling = 'free'
    simulation.look()
    expect(simulation.step('apply').queueReason).toBe('RUNNER_CAPACITY')
    simulation.ruling = rule
    simulation.passToWake()
    expect(simulation.step('apply')).toMatchObject({ status: 'PENDING_APPROVAL', approval: { isByRule: true } })
  })

  test('is decided by its config if the rule requires no approvers', () => {
    const simulation = new Simulation({ steps: [ask()] }, { run: { isAutoApproved: true } })
    simulation.ruling = 'free'
    simulation.look()
    expect(simulation.step('ask').status).toBe('SUCCESS')
  })
})
