import { isRunOver } from '@sluice/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { PipelineConfig, StepConfig } from '../pipeline-versions/config/schema.ts'
import { continuedStep, needsOf, stepsBefore } from '../pipeline-versions/config/steps.ts'
import type { PipelineStepExecutionRow } from '../pipelines/tables.ts'
import type { Step } from './attempt.ts'
import { retriedSteps } from './plan.ts'
import { stepRow } from './rows.fixture.ts'
import { anyConfig, Simulation } from './simulation.fixture.ts'
import { skipOf } from './skip.ts'
import { skipFaults, stepsToTakeOver } from './take-over.ts'

type Ended = Partial<PipelineStepExecutionRow>

const command = (id: string, more: Partial<StepConfig> = {}): StepConfig => ({ id, type: 'command', ...more })
const rowsOf = (steps: readonly StepConfig[], ended: readonly (Ended | Ended['status'])[]) =>
  new Map(
    steps.map(({ id }, index) => {
      const one = ended[index]
      return [id, stepRow({ id: `step_${id}`, stepId: id, ...(typeof one === 'string' ? { status: one } : one) })]
    }),
  )
const takenOf = (steps: StepConfig[], ...ended: (Ended | Ended['status'])[]) => [
  ...stepsToTakeOver(steps, rowsOf(steps, ended)),
]

describe('a retry', () => {
  test('takes over steps that succeeded before the failed one, and executes that one and its dependents', () => {
    const steps = [command('a'), command('b'), command('c'), command('beside', { needs: ['a'] })]
    expect(takenOf(steps, 'SUCCESS', 'ERROR', 'SKIPPED', 'SUCCESS')).toEqual(['a', 'beside'])
  })

  test('executes steps again that ran because of the failure', () => {
    const steps = [command('a'), command('clean', { when: '<< !needs.succeeded >>' })]
    expect(takenOf(steps, 'ERROR', 'SUCCESS')).toEqual([])
  })

  test('takes over steps that their condition skipped, and failures that the config tolerates', () => {
    const steps = [
      command('off', { when: false }),
      command('lint', { needs: [], on_failure: 'continue' }),
      command('b'),
    ]
    expect(takenOf(steps, 'SKIPPED', 'ERROR', 'CANCELLED')).toEqual(['off', 'lint'])
  })

  test('repeats the plan of an apply, with all steps in between', () => {
    const steps: StepConfig[] = [
      command('build'),
      { id: 'plan', type: 'iac:plan' },
      { id: 'approve', type: 'approval' },
      { id: 'apply', type: 'iac:apply' },
    ]
    expect(takenOf(steps, 'SUCCESS', 'SUCCESS', 'SUCCESS', 'ERROR')).toEqual(['build'])
    expect(takenOf(steps, 'SUCCESS', 'SUCCESS', 'ERROR', 'SKIPPED')).toEqual(['build'])
  })

  test('takes over a plan that was applied, or that no step applies', () => {
    const plan: StepConfig = { id: 'plan', type: 'iac:plan' }
    expect(takenOf([plan, { id: 'apply', type: 'iac:apply' }, command('c')], 'SUCCESS', 'SUCCESS', 'ERROR')).toEqual([
      'plan',
      'apply',
    ])
    expect(takenOf([plan, command('c')], 'SUCCESS', 'ERROR')).toEqual(['plan'])
  })

  test('repeats a paused deployment, unless it was swapped', () => {
    const paused: Ended = { status: 'SUCCESS', outputData: { deployment_id: 'dep_1', hook_id: 'hook_1' } }
    const [deploy, swap]: StepConfig[] = [
      { id: 'deploy', type: 'deploy' },
      { id: 'swap', type: 'deploy-swap' },
    ]
    if (!deploy || !swap) throw new Error('there are two')
    expect(takenOf([deploy, command('try'), swap], paused, 'ERROR', 'SKIPPED')).toEqual([])
    expect(takenOf([deploy, command('try')], paused, 'ERROR')).toEqual([])
    expect(takenOf([deploy, swap, command('tell')], paused, 'SUCCESS', 'ERROR')).toEqual(['deploy', 'swap'])
  })

  test('names the original execution of taken-over steps, also in a second retry', () => {
    const steps = [command('a'), command('b')]
    const ended = rowsOf(steps, [
      { status: 'SUCCESS', outputData: { n: 1 }, attemptEpoch: 2, statusDetail: { deploymentId: 'dep_1' } },
      'ERROR',
    ])
    const planned = steps.map(({ id }) => stepRow({ id: `new_${id}`, pipelineRunId: 'run_2', stepId: id }))
    const [a, b] = retriedSteps(planned, ended, { taken: new Set(['a']) }) as Step[]
    const origin = { pipelineRunId: 'run_1', pipelineStepExecutionId: 'step_a' }
    expect(a).toMatchObject({ id: 'new_a', pipelineRunId: 'run_2', status: 'SUCCESS', outputData: { n: 1 } })
    expect(a?.statusDetail).toEqual({ deploymentId: 'dep_1', takenOver: origin })
    expect(b).toEqual(planned[1])

    const [again] = retriedSteps(planned, new Map([['a', a as Step]]), { taken: new Set(['a']) })
    expect(again?.statusDetail).toMatchObject({ takenOver: origin })
  })
})

test('cannot skip steps that are taken over, approvals, steps that others continue, and unknown steps', () => {
  const steps: StepConfig[] = [
    command('done'),
    { id: 'plan', type: 'iac:plan' },
    { id: 'approve', type: 'approval' },
    { id: 'apply', type: 'iac:apply' },
  ]
  const taken = new Set(['done'])
  const faults = skipFaults(steps, taken, ['done', 'plan', 'approve', 'none'])
  expect(faults.map((line) => line.split(':')[0])).toEqual(['done', 'plan', 'approve', 'none'])
  expect(faults[1]).toContain('apply continues it')
  expect(skipFaults(steps, taken, ['plan', 'apply'])).toEqual([])
})

const statuses = ['SUCCESS', 'SUCCESS', 'SUCCESS', 'ERROR', 'SKIPPED', 'CANCELLED'] as const
const config = anyConfig(['command', 'iac:plan', 'iac:apply', 'deploy', 'deploy-swap', 'approval'])
const endedRun = config.chain(({ steps }) =>
  fc.record({
    steps: fc.constant(steps),
    ended: fc
      .array(fc.record({ status: fc.constantFrom(...statuses), isPaused: fc.boolean() }), {
        minLength: steps.length,
        maxLength: steps.length,
      })
      .map((all) =>
        rowsOf(
          steps,
          all.map(({ status, isPaused }) => ({ status, outputData: isPaused ? { hook_id: 'hook_1' } : {} })),
        ),
      ),
  }),
)

test('takes over a step only with all its needs, in any graph', () => {
  fc.assert(
    fc.property(endedRun, ({ steps, ended }) => {
      const taken = stepsToTakeOver(steps, ended)
      for (const [index, { id, on_failure }] of steps.entries()) {
        if (!taken.has(id)) continue
        const { status } = ended.get(id) ?? {}
        expect(status === 'SUCCESS' || status === 'SKIPPED' || (status === 'ERROR' && on_failure === 'continue')).toBe(
          true,
        )
        for (const need of needsOf(steps, index)) expect(taken).toContain(need)
      }
    }),
    { numRuns: 1_000 },
  )
})

test('executes all dependents of a repeated step again, in any graph', () => {
  fc.assert(
    fc.property(endedRun, ({ steps, ended }) => {
      const taken = stepsToTakeOver(steps, ended)
      for (const [index, step] of steps.entries()) {
        if (stepsBefore(steps, index).some((id) => !taken.has(id))) expect(taken).not.toContain(step.id)
        const begun = continuedStep(steps, step)
        if (begun !== undefined && !taken.has(step.id)) expect(taken).not.toContain(begun)
      }
    }),
    { numRuns: 1_000 },
  )
})

test('takes over every step with successful needs, in any graph without plans and swaps', () => {
  const plain = anyConfig(['command', 'http', 'approval'])
  fc.assert(
    fc.property(plain, fc.infiniteStream(fc.constantFrom(...statuses)), ({ steps }, stream) => {
      const ended = rowsOf(steps, [...stream.take(steps.length)])
      const isWell = ({ id, on_failure }: StepConfig) => {
        const status = ended.get(id)?.status
        return status === 'SUCCESS' || status === 'SKIPPED' || (status === 'ERROR' && on_failure === 'continue')
      }
      const wellIds = new Set(steps.filter(isWell).map(({ id }) => id))
      const expected = steps.filter(
        ({ id }, index) => wellIds.has(id) && stepsBefore(steps, index).every((before) => wellIds.has(before)),
      )
      expect([...stepsToTakeOver(steps, ended)]).toEqual(expected.map(({ id }) => id))
    }),
    { numRuns: 1_000 },
  )
})

/** Runs a pipeline to its end: the numbers determine which steps fail, and whether the run is cancelled. */
function executeRun(config: PipelineConfig, numbers: readonly number[]): Simulation {
  const simulation = new Simulation(config)
  simulation.look()
  for (const number of numbers) {
    const { stepId } = simulation.steps[number % simulation.steps.length] ?? stepRow()
    simulation.claim(stepId)
    const error = { code: 'Sluice:Test:BROKEN', message: 'It broke.' }
    simulation.settle(stepId, number % 3 === 0 ? { status: 'ERROR', error } : { status: 'SUCCESS' })
    simulation.decide(stepId, number % 5 !== 0)
    if (number % 37 === 0) simulation.cancel()
  }
  simulation.finish()
  return simulation
}

test('a retry ends as its steps do, and taken-over steps stay unchanged', () => {
  fc.assert(
    fc.property(config, fc.array(fc.nat({ max: 10_000 }), { maxLength: 60 }), (given, numbers) => {
      const first = executeRun(given, numbers)
      expect(isRunOver(first.run.status)).toBe(true)
      fc.pre(first.run.status !== 'SUCCESS')
      const ended = new Map(first.steps.map((step) => [step.stepId, step]))
      const taken = stepsToTakeOver(given.steps, ended)
      const retry = new Simulation(given)
      retry.steps = retriedSteps(retry.steps, ended, { taken }) as Step[]
      const before = new Map(retry.steps.map((step) => [step.stepId, step]))
      retry.groupHeldBy = 'run_0'
      retry.look()
      retry.groupHeldBy = undefined
      retry.look()
      retry.finish()
      const hasFailed = retry.steps.some(
        ({ stepId, status }) =>
          status === 'ERROR' && given.steps.find(({ id }) => id === stepId)?.on_failure !== 'continue',
      )
      expect(retry.run.status).toBe(hasFailed ? 'ERROR' : 'SUCCESS') // an approval may have timed out
      for (const id of taken) expect(retry.step(id)).toBe(before.get(id))
    }),
    { numRuns: 1_000 },
  )
}, 120_000)

describe('a skipped step', () => {
  const steps = [command('a'), command('b'), command('c')]
  const skip = { steps: ['b'], by: { by: 'Ada', at: '2026-03-05T12:00:00.000Z', reason: 'It is known to be broken.' } }
  const simulate = () => {
    const simulation = new Simulation({ steps })
    simulation.steps = retriedSteps(simulation.steps, new Map(), { taken: new Set(), skip }) as Step[]
    simulation.look()
    return simulation
  }

  test('waits for its needs, and counts as successful for its dependents', () => {
    const simulation = simulate()
    expect(simulation.statuses).toEqual(['QUEUED', 'QUEUED', 'QUEUED'])
    simulation.claim('a')
    simulation.settle('a', { status: 'SUCCESS' })
    expect(simulation.step('b')).toMatchObject({
      status: 'SKIPPED',
      statusDetail: { skipped: 'Ada skipped it: It is known to be broken.', skippedBy: skip.by },
    })
    simulation.finish()
    expect(simulation.statuses).toEqual(['SUCCESS', 'SKIPPED', 'SUCCESS'])
    expect(simulation.run.status).toBe('SUCCESS')
  })

  test('does not let dependents continue after a failed need', () => {
    const simulation = simulate()
    simulation.claim('a')
    simulation.settle('a', { status: 'ERROR', error: { code: 'Sluice:Test:BROKEN', message: 'It broke.' } })
    expect(simulation.statuses).toEqual(['ERROR', 'SKIPPED', 'SKIPPED'])
    expect(skipOf(simulation.step('b'))).toBeUndefined()
  })

  test('stays skipped in a retry of the retry, without a new request', () => {
    const simulation = simulate()
    simulation.claim('a')
    simulation.settle('a', { status: 'SUCCESS' })
    simulation.claim('c')
    simulation.settle('c', { status: 'ERROR', error: { code: 'Sluice:Test:BROKEN', message: 'It broke.' } })
    const ended = new Map(simulation.steps.map((step) => [step.stepId, step]))
    expect([...stepsToTakeOver(steps, ended)]).toEqual(['a', 'b'])
  })
})
