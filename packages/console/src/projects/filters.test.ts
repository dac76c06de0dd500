import { expect, test } from 'vitest'
import { filtersToQuery, parseFilters } from './filters.ts'

test('invalid parts of an address are ignored', () => {
  expect(parseFilters({ search: 'web', state: ['PAUSED', 'nonsense'], type: 'function', by: 'ada', more: 1 })).toEqual({
    search: 'web',
    state: ['PAUSED'],
    type: ['function'],
    by: 'ada',
  })
  expect(parseFilters({ search: '', state: 7, type: [] })).toEqual({})
  expect(parseFilters({ search: 42 })).toEqual({ search: '42' }) // as the router parses the address
})

test('filters are converted to the names of the API', () => {
  expect(filtersToQuery({ by: 'ada', state: ['FAILED'] })).toEqual({ releasedBy: 'ada', state: ['FAILED'] })
})
