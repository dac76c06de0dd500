import type { DeploymentConfiguration } from '@aws-sdk/client-ecs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { backwardPhases, forwardPhases, pauseStages, stages } from './stages.ts'

const stepsOf = (configuration: DeploymentConfiguration) =>
  forwardPhases(configuration, false)
    .filter(({ stage }) => stage === 'PRODUCTION_TRAFFIC_SHIFT')
    .map(({ weights, bakeMinutes }) => [weights.production, bakeMinutes])

test(
  'every configuration shifts production traffic in its steps',
  everyCase(
    [
      [{ strategy: 'BLUE_GREEN', bakeTimeInMinutes: 30 }, [[100, 0]]],
      [{ strategy: 'LINEAR' }, [...[10, 20, 30, 40, 50, 60, 70, 80, 90].map((percent) => [percent, 6]), [100, 0]]],
      [
        { strategy: 'LINEAR', linearConfiguration: { stepPercent: 30, stepBakeTimeInMinutes: 1 } },
        [
          [30, 1],
          [60, 1],
          [90, 1],
          [100, 0],
        ],
      ],
      [
        { strategy: 'LINEAR', linearConfiguration: { stepPercent: 33.3, stepBakeTimeInMinutes: 1 } },
        [
          [33.3, 1],
          [66.6, 1],
          [99.9, 1],
          [100, 0],
        ],
      ],
      [{ strategy: 'LINEAR', linearConfiguration: { stepPercent: 100 } }, [[100, 0]]],
      [
        { strategy: 'CANARY' },
        [
          [5, 10],
          [100, 0],
        ],
      ],
      [
        { strategy: 'CANARY', canaryConfiguration: { canaryPercent: 0.1, canaryBakeTimeInMinutes: 0 } },
        [
          [0.1, 0],
          [100, 0],
        ],
      ],
      [{ strategy: 'CANARY', canaryConfiguration: { canaryPercent: 100 } }, [[100, 0]]],
    ] as [DeploymentConfiguration, number[][]][],
    (configuration, steps) => {
      expect(stepsOf(configuration)).toEqual(steps)
    },
  ),
)

test('a rolling deployment has one phase, which is no lifecycle stage with pauses', () => {
  expect(forwardPhases({}, true)).toMatchObject([{ stage: 'REPLACE_TASKS', weights: { production: 0, test: 0 } }])
  expect(backwardPhases('ROLLING', { production: 0, test: 0 })).toMatchObject([{ stage: 'REPLACE_TASKS' }])
  expect(pauseStages).not.toContain('REPLACE_TASKS')
})

test('a deployment begins with RECONCILE_SERVICE only if several revisions are active', () => {
  const first = (reconcileFirst: boolean) => forwardPhases({ strategy: 'BLUE_GREEN' }, reconcileFirst)[0]?.stage
  expect([first(true), first(false)]).toEqual(['RECONCILE_SERVICE', 'PRE_SCALE_UP'])
})

test(
  'a rollback reverses the traffic shifts',
  everyCase(
    [
      [{ production: 0, test: 0 }, ['CLEAN_UP']],
      [{ production: 0, test: 100 }, ['TEST_TRAFFIC_SHIFT', 'CLEAN_UP']],
      [{ production: 20, test: 100 }, ['PRODUCTION_TRAFFIC_SHIFT', 'TEST_TRAFFIC_SHIFT', 'CLEAN_UP']],
    ] as const,
    (weights, way) => {
      const phases = backwardPhases('CANARY', weights)
      expect(phases.map(({ stage }) => stage)).toEqual(way)
      expect(phases.at(-1)?.weights).toEqual({ production: 0, test: 0 })
    },
  ),
)

test('whatever the steps, production traffic only grows, ends at 100 %, and stages keep their order', () => {
  const tenths = (from: number, to: number) => fc.integer({ min: from * 10, max: to * 10 }).map((value) => value / 10)
  const configurations: fc.Arbitrary<DeploymentConfiguration> = fc.oneof(
    tenths(3, 100).map((stepPercent) => ({ strategy: 'LINEAR' as const, linearConfiguration: { stepPercent } })),
    tenths(0.1, 100).map((canaryPercent) => ({ strategy: 'CANARY' as const, canaryConfiguration: { canaryPercent } })),
    fc.constant({ strategy: 'BLUE_GREEN' as const }),
  )
  fc.assert(
    fc.property(configurations, fc.boolean(), (configuration, reconcileFirst) => {
      const phases = forwardPhases(configuration, reconcileFirst)
      const weights = phases.map(({ weights }) => weights.production)
      expect(weights).toEqual(weights.toSorted((a, b) => a - b))
      expect(weights.at(-1)).toBe(100)
      const pre = phases.filter(({ stage }) => stage === 'PRE_PRODUCTION_TRAFFIC_SHIFT').length
      expect(pre).toBe(phases.filter(({ stage }) => stage === 'PRODUCTION_TRAFFIC_SHIFT').length)
      const once = phases
        .map(({ stage }) => stages.indexOf(stage))
        .filter((rank, index, all) => all.indexOf(rank) === index)
      expect(once).toEqual(once.toSorted((a, b) => a - b))
    }),
  )
})
