import { expect, test } from 'vitest'
import { everyCase } from '../../../../../../testing/every-case.ts'
import { later } from '../standing.ts'
import { isRuleChanged, watchRules } from './listener-rules.ts'
import type { EcsStanding } from './standing.ts'

const pace = { minMs: 1_000, maxMs: 15_000, pausedMaxMs: 300_000, crowdMs: 0 }
const start = new Date('2026-11-20T10:00:00.000Z')
const pair = {
  targetGroupArn: 'blue',
  alternateTargetGroupArn: 'green',
  productionListenerRuleArn: 'rule',
  infrastructureRoleArn: 'role',
  servingGroupArn: 'blue',
}
const standing = { release: {}, progress: { shiftedPairs: [pair], quiet: 0 } } as unknown as EcsStanding

/** One look: after how many seconds, what the release asks for, what the rule does, and the stage if it is no shift. */
type Look = [seconds: number, percent: number, shares: Record<string, number>, lifecycleStage?: string]

const right: Look = [0, 10, { blue: 90, green: 10 }]

test(
  'a rule counts as changed only if the cloud has set it to the share and it stays different',
  everyCase<[string, Look[], boolean]>(
    [
      ['right all the time', [right, [60, 10, { blue: 90, green: 10 }]], false],
      [
        'rounded',
        [
          [0, 6, { blue: 94.5, green: 5.5 }],
          [60, 6, { blue: 94.5, green: 5.5 }],
        ],
        false,
      ],
      ['reset to the version before', [right, [5, 10, { blue: 100 }], [25, 10, { blue: 100 }]], true],
      ['set to the new version', [right, [5, 10, { green: 100 }], [25, 10, { green: 100 }]], true],
      ['sent elsewhere', [right, [5, 10, { foreign: 100 }], [25, 10, { foreign: 100 }]], true],
      ['different for a moment', [right, [5, 10, { blue: 100 }], [10, 10, { blue: 90, green: 10 }]], false],
      ['different for too short a time yet', [right, [5, 10, { blue: 100 }], [15, 10, { blue: 100 }]], false],
      ['ahead of what is told', [right, [5, 10, { green: 100 }], [25, 100, { green: 100 }]], false],
      ['behind what is told', [right, [5, 100, { blue: 90, green: 10 }], [25, 100, { blue: 90, green: 10 }]], false],
      [
        'swapped after all traffic moved',
        [
          [0, 100, { green: 100 }],
          [5, 100, { blue: 100 }],
          [25, 100, { blue: 100 }],
        ],
        true,
      ],
      [
        'reset before the first look, and the release is paused',
        [
          [0, 10, { blue: 100 }, 'PRE_PRODUCTION_TRAFFIC_SHIFT'],
          [20, 10, { blue: 100 }, 'PRE_PRODUCTION_TRAFFIC_SHIFT'],
        ],
        true,
      ],
      [
        'not set yet where the shift has only begun',
        [
          [0, 10, { blue: 100 }, 'PRODUCTION_TRAFFIC_SHIFT'],
          [20, 10, { blue: 100 }, 'PRODUCTION_TRAFFIC_SHIFT'],
        ],
        false,
      ],
    ],
    (_what, looks, isChanged) => {
      const seen = looks.reduce((so, [seconds, requestedProductionTrafficWeight, shares, lifecycleStage]) => {
        const targetServiceRevision = { requestedProductionTrafficWeight }
        const state = { lifecycleStage, targetServiceRevision } as Parameters<typeof watchRules>[1]
        return watchRules(so, state, [{ ruleArn: 'rule', shares, otherActions: [] }], later(start, seconds * 1_000))
      }, standing)
      const [lastSeconds = 0] = looks.at(-1) ?? []
      expect(isRuleChanged(seen, pace, later(start, lastSeconds * 1_000))).toBe(isChanged)
    },
  ),
)
