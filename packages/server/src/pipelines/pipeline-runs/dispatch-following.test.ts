import { describe, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import type { StepConfig } from '../pipeline-versions/config/schema.ts'
import type { PipelineRunRow, PipelineStepExecutionRow } from '../pipelines/tables.ts'
import { endStep } from './attempt.ts'
import { dispatchFollowing } from './dispatch-following.ts'
import { Simulation } from './simulation.fixture.ts'

const command = (id: string, more: Partial<StepConfig> = {}): StepConfig => ({ id, type: 'command', ...more })

/** Returns what happens to a run whose first step succeeds now. */
function afterFirst(
  steps: StepConfig[],
  {
    run = {},
    isRuled = false,
    change = (step) => step,
  }: {
    run?: Partial<PipelineRunRow>
    isRuled?: boolean
    change?: (step: PipelineStepExecutionRow, now: Date) => PipelineStepExecutionRow
  } = {},
) {
  const simulation = new Simulation({ steps })
  simulation.look()
  simulation.claim('a')
  const { now, config } = simulation
  const after = simulation.steps.map((step) =>
    step.stepId === 'a' ? endStep(step, 'SUCCESS', now) : change(step, now),
  )
  const found = {
    run: { ...simulation.run, ...run },
    steps: after,
    config,
    isRuled,
    hasStepRules: false,
    hasVersionAsked: false,
  }
  return dispatchFollowing(found, { engineRunId: 'inv_2', hasSharedRunners: true, now })
}

describe('with the end of a step', () => {
  test('the steps that waited only for it are dispatched, without a write of the run', () => {
    const next = afterFirst([command('a'), command('b'), command('c')])
    expect(next?.steps).toMatchObject([
      { status: 'SUCCESS' },
      { queueReason: 'RUNNER_CAPACITY', engineRunId: 'inv_2' },
      { queueReason: 'DEPENDENCIES' },
    ])
    expect(next?.run.wakeSeq).toBe(1)
  })

  test('the run of a step that waits for its next attempt is scheduled in time', () => {
    const change = (step: PipelineStepExecutionRow, now: Date) => {
      if (step.stepId !== 'b') return step
      return { ...step, queueReason: 'RETRY_BACKOFF' as const, deadlineAt: new Date(now.getTime() + 5_000) }
    }
    const next = afterFirst([command('a'), command('b', { needs: [] })], { change })
    expect(next?.run.wakeAt).toEqual(next?.steps[1]?.deadlineAt)
  })

  test('in an organization with freezes, only steps that change infrastructure need a pass over the run', () => {
    const change = (step: PipelineStepExecutionRow) =>
      step.stepId === 'b' ? { ...step, queueReason: 'APPROVED' as const } : step
    const after = (type: 'iac:apply' | 'iac:plan', isRuled: boolean) =>
      afterFirst([command('a'), { id: 'b', type, needs: ['a'] }], { change, isRuled })?.steps[1]?.queueReason
    expect(after('iac:apply', true)).toBeUndefined()
    expect(after('iac:apply', false)).toBe('RUNNER_CAPACITY')
    expect(after('iac:plan', true)).toBe('RUNNER_CAPACITY')
  })

  test(
    'everything that needs more than the ended step is left to the next pass over the run',
    everyCase<[string, StepConfig[], Parameters<typeof afterFirst>[1]?]>(
      [
        ['the end of the run', [command('a')]],
        ['a condition that is to be rendered', [command('a'), command('b', { when: '<< inputs.b >>' })]],
        ['a stack that is to be found', [command('a'), { id: 'b', type: 'iac:plan' }]],
        ['somebody who is to be asked', [command('a'), { id: 'b', type: 'approval' }]],
        [
          'an approval that was given with the start',
          [command('a'), command('b', { approval: {} })],
          { run: { isAutoApproved: true } },
        ],
        ['a step that is skipped', [command('a'), command('b', { when: false }), command('c', { needs: ['a'] })]],
        [
          'a cancel of the run',
          [command('a'), command('b')],
          { run: { cancelRequest: { by: 'Ada', at: '', error: { code: 'x', message: 'x' } } } },
        ],
        [
          'a runner that is lost',
          [command('a'), command('b', { needs: [] }), command('c', { needs: ['a'] })],
          { change: (step) => (step.stepId === 'b' ? { ...step, status: 'IN_PROGRESS' } : step) },
        ],
      ],
      (_, steps, how) => {
        expect(afterFirst(steps, how)).toBeUndefined()
      },
    ),
  )
})
