import { expect, test } from 'vitest'
import { wantedIn } from './wanted.ts'

test.each([
  [{}, {}],
  [{ search: '', status: [] }, {}],
  [
    { search: 'web', status: ['ERROR', 'ACTIVE'] },
    { search: 'web', status: ['ACTIVE', 'ERROR'] },
  ],
  [{ search: 5, status: 'ACTIVE', other: 'x' }, { status: ['ACTIVE'] }],
  [{ status: ['NOTHING'] }, {}],
])('the address %j narrows to %j', (address, wanted) => expect(wantedIn(address)).toEqual(wanted))
