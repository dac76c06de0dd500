import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { parseInstanceFilters } from './instance-filters.ts'

test(
  'the query parameters narrow the list of environments',
  everyCase(
    [
      [{}, {}],
      [{ search: '', status: [] }, {}],
      [
        { search: 'web', status: ['ERROR', 'ACTIVE'] },
        { search: 'web', status: ['ACTIVE', 'ERROR'] },
      ],
      [{ search: 5, status: 'ACTIVE', other: 'x' }, { status: ['ACTIVE'] }],
      [{ status: ['NOTHING'] }, {}],
    ],
    (address, wanted) => expect(parseInstanceFilters(address)).toEqual(wanted),
  ),
)
