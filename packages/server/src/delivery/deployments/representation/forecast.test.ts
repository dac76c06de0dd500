import { expect, test } from 'vitest'
import { everyCase } from '../../../../../../testing/every-case.ts'
import { earliestSuccess } from '../analysis/machine.ts'
import type { EcsState } from '../types/ecs/state.ts'
import { afterPause } from '../types/ecs/track.ts'

type Given = { type: string; test?: boolean; pauses?: string[]; weight?: number; bake?: number }

function deployment({ type, test, pauses = [], weight = 0, bake = 5 }: Given): EcsState {
  const trafficShift = test ? { testListenerRuleArn: 'rule' } : {}
  const steps = { linear: { stepPercent: 30 }, canary: { canaryPercent: 10 } }
  const strategy = { type, bakeTimeInMinutes: bake, ...steps, pauseStages: pauses.map((stage) => ({ stage })) }
  const state = { targetServiceRevision: { requestedProductionTrafficWeight: weight } }
  return { release: { strategy, trafficShift }, data: { serviceDeploymentState: state } } as unknown as EcsState
}

const before = 'PRE_PRODUCTION_TRAFFIC_SHIFT'
const shift = (fromPercent: number, toPercent: number) =>
  ({ nextStepCode: 'PRODUCTION_TRAFFIC_SHIFT', fromPercent, toPercent }) as const

test(
  'the forecast names the step after a pause',
  everyCase<[string, Given, ReturnType<typeof afterPause>]>(
    [
      [before, { type: 'blue_green' }, shift(0, 100)],
      [before, { type: 'canary' }, shift(0, 10)],
      [before, { type: 'canary', weight: 10 }, shift(10, 100)],
      [before, { type: 'linear', weight: 30 }, shift(30, 60)],
      [before, { type: 'linear', weight: 90 }, shift(90, 100)],
      ['POST_SCALE_UP', { type: 'canary', test: true }, { nextStepCode: 'TEST_TRAFFIC_SHIFT' }],
      ['POST_SCALE_UP', { type: 'canary' }, shift(0, 10)],
      ['POST_TEST_TRAFFIC_SHIFT', { type: 'canary', test: true }, shift(0, 10)],
      ['POST_TEST_TRAFFIC_SHIFT', { type: 'canary', test: true, pauses: [before] }, { nextStepCode: 'PAUSED' }],
      ['PRE_SCALE_UP', { type: 'linear' }, { nextStepCode: 'SCALE_UP' }],
      ['POST_PRODUCTION_TRAFFIC_SHIFT', { type: 'linear', weight: 100 }, { nextStepCode: 'BAKE' }],
      ['POST_PRODUCTION_TRAFFIC_SHIFT', { type: 'linear', weight: 100, bake: 0 }, { nextStepCode: 'CLEAN_UP' }],
      ['A_STAGE_TO_COME', { type: 'linear' }, {}],
      [before, { type: 'rolling' }, {}],
    ],
    (lifecycleStage, given, expected) => {
      const hook = { hookId: 'h', lifecycleStage, timeoutAction: 'ROLLBACK', state: 'waiting' } as const
      expect(afterPause(deployment(given), hook)).toEqual(expected)
    },
  ),
)

test('checks continue the pause when the slowest of them can have succeeded often enough', () => {
  const check = { outcome: 'RUNNING', failed: 0, inconclusive: 0, lastMeasuredAt: '2026-01-01T00:01:00.000Z' } as const
  const analysis = {
    startedAt: '2026-01-01T00:00:00.000Z',
    outcome: 'RUNNING' as const,
    checks: [
      { ...check, name: 'errors', successful: 2 },
      { ...check, name: 'latency', successful: 1 },
    ],
  }
  const spec = { intervalSeconds: 60, count: 3, failureLimit: 0, inconclusiveLimit: 0, checks: [] }
  expect(earliestSuccess(analysis, spec).toISOString()).toBe('2026-01-01T00:03:00.000Z')
})
