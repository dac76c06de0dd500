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
      const reason = createNoIsolation(['the package bubblewrap is not installed']).checkTenancy({
        runner,
        organizations,
      })
      expect(reason === undefined ? 'run' : 'rejected').toBe(end)
      if (reason) expect(reason).toMatch(/the package bubblewrap is not installed.*Install bubblewrap/)
    },
  ),
)
