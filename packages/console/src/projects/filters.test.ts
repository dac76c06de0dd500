import { expect, test } from 'vitest'
import { filtersIn, queryOf } from './filters.ts'

test('an address is read as far as it makes sense', () => {
  expect(filtersIn({ search: 'web', state: ['PAUSED', 'nonsense'], type: 'function', by: 'ada', more: 1 })).toEqual({
    search: 'web',
    state: ['PAUSED'],
    type: ['function'],
    by: 'ada',
  })
  expect(filtersIn({ search: '', state: 7, type: [] })).toEqual({})
  expect(filtersIn({ search: 42 })).toEqual({ search: '42' }) // as the router parses the address
})

test('the service is asked by its own names', () => {
  expect(queryOf({ by: 'ada', state: ['FAILED'] })).toEqual({ releasedBy: 'ada', state: ['FAILED'] })
})
