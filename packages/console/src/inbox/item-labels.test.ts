import type { InboxItem } from '@sluice/contract'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { badgeCount } from './item-labels.ts'

const items = (count: number): InboxItem[] =>
  Array.from({ length: count }, (_, at) => ({
    type: 'PAUSE',
    id: `dep_${at}`,
    title: 'web',
    project: 'Shop',
    at: '2026-11-26T10:00:00.000Z',
  }))

test(
  'the badge counts waiting and failed items',
  everyCase(
    [
      [0, 0, ''],
      [1, 0, '1'],
      [2, 3, '5'],
      [50, 49, '99'],
      [50, 50, '99+'],
    ],
    (waiting, failed, badge) => {
      expect(badgeCount({ waiting: items(waiting), failed: items(failed) })).toBe(badge)
    },
  ),
)
