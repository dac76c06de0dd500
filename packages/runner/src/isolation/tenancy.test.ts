import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { createNoIsolation } from './none.ts'

test(
  'programs run without isolation only if no other organization is affected',
  everyCase(
    [
      ['shared', 'many', 'rejected'],
      ['shared', 'one', 'run'],
      ['own', 'many', 'run'],
      ['own', 'one', 'run'],
    ] as const,
    (runner, organizations, end) => {
      const refusal = createNoIsolation(['the package bubblewrap is not installed']).checkTenancy({
        runner,
        organizations,
      })
      expect(refusal === undefined ? 'run' : 'rejected').toBe(end)
      if (refusal) expect(refusal).toMatch(/the package bubblewrap is not installed.*Install bubblewrap/)
    },
  ),
)
