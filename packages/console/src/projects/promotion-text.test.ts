import type { ServiceOnward } from '@sluice/contract'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { describePromotion } from './promotion-text.ts'

const now = Date.parse('2026-07-01T12:00:00Z')
const said = (of: Pick<ServiceOnward, 'obstacle' | 'until'>) =>
  describePromotion(of as ServiceOnward, 'Production', now)

test(
  'a promotion candidate is described with its blocker',
  everyCase(
    [
      [{}, 'Promotes to Production automatically'],
      [{ obstacle: 'MANUAL' }, 'Ready for Production'],
      [{ obstacle: 'SOAKING', until: '2026-07-01T12:20:00Z' }, 'Production in 20 min 00 s'],
      [{ obstacle: 'HELD' }, 'Blocked for Production: held there'],
      [{ obstacle: 'FROZEN' }, 'Blocked for Production: frozen there'],
      [{ obstacle: 'FAILED' }, 'Blocked for Production: failed here'],
      [{ obstacle: 'WAS_THERE' }, undefined],
      [{ obstacle: 'NEWER_THERE' }, undefined],
    ] as const,
    (of, expected) => {
      expect(said(of)).toBe(expected)
    },
  ),
)
