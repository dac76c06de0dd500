import { expect, test } from 'vitest'
import { notIsolated } from './none.ts'

test.each([
  ['shared', 'many', 'refused'],
  ['shared', 'one', 'run'],
  ['own', 'many', 'run'],
  ['own', 'one', 'run'],
] as const)(
  'without isolation, on a runner that is %s, with %s organization(s), programs are %s',
  (runner, organizations, end) => {
    const refusal = notIsolated(['the package bubblewrap is not installed']).refusal({ runner, organizations })
    expect(refusal === undefined ? 'run' : 'refused').toBe(end)
    if (refusal) expect(refusal).toMatch(/the package bubblewrap is not installed.*Install bubblewrap/)
  },
)
