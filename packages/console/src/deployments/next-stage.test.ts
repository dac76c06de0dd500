import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { describeNextStage } from './next-stage.ts'

test(
  'the next step of a deployment is described',
  everyCase(
    [
      [{ nextStepCode: 'PRODUCTION_TRAFFIC_SHIFT', fromPercent: 25, toPercent: 50 }, '25 % → 50 %'],
      [{ nextStepCode: 'PRODUCTION_TRAFFIC_SHIFT', fromPercent: 0, toPercent: 10 }, '0 % → 10 %'],
      [{ nextStepCode: 'TEST_TRAFFIC_SHIFT' }, 'test traffic'],
      [{ nextStepCode: 'PAUSED' }, 'next pause'],
      [{}, undefined],
    ] as const,
    (next, words) => {
      expect(describeNextStage({ hookId: 'h', ...next })).toBe(words)
    },
  ),
)
