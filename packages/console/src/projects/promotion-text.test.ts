import type { ServicePromotionCandidate } from '@sluice/contract'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { describePromotion } from './promotion-text.ts'

const now = Date.parse('2026-07-01T12:00:00Z')
const said = (of: Pick<ServicePromotionCandidate, 'blocker' | 'until'>) =>
  describePromotion(of as ServicePromotionCandidate, 'Production', now)

test(
  'a promotion candidate is described with its blocker',
  everyCase(
    [
      [{}, 'Promotes to Production automatically'],
      [{ blocker: 'MANUAL' }, 'Ready for Production'],
      [{ blocker: 'SOAKING', until: '2026-07-01T12:20:00Z' }, 'Production in 20 min 00 s'],
      [{ blocker: 'HELD' }, 'Blocked for Production: held there'],
      [{ blocker: 'FROZEN' }, 'Blocked for Production: frozen there'],
      [{ blocker: 'FAILED' }, 'Blocked for Production: failed here'],
      [{ blocker: 'ALREADY_RELEASED' }, undefined],
      [{ blocker: 'NEWER_IN_TARGET' }, undefined],
    ] as const,
    (of, expected) => {
      expect(said(of)).toBe(expected)
    },
  ),
)
