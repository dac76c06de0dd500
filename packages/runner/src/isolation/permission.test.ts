import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { notIsolated } from './none.ts'

test(
  'programs run without isolation only where that is safe',
  everyCase(
    [
      ['shared', 'many', 'refused'],
      ['shared', 'one', 'run'],
      ['own', 'many', 'run'],
      ['own', 'one', 'run'],
    ] as const,
    (runner, organizations, end) => {
      const refusal = notIsolated(['the package bubblewrap is not installed']).refusal({ runner, organizations })
      expect(refusal === undefined ? 'run' : 'refused').toBe(end)
      if (refusal) expect(refusal).toMatch(/the package bubblewrap is not installed.*Install bubblewrap/)
    },
  ),
)
