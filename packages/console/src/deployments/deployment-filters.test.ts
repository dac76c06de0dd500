import { expect, test } from 'vitest'
import { deploymentQuery, isFiltered, parseDeploymentSearch, shownColumns, sortBy } from './deployment-filters.ts'

const now = new Date('2026-03-05T12:00:00.000Z')

test('an address keeps known filters, and drops what it does not know', () => {
  const search = {
    service: 'web',
    version: 2,
    status: ['ERROR', 'BROKEN'],
    sort: 'VERSION',
    columns: 'SERVICE',
    x: '1',
  }
  expect(parseDeploymentSearch(search)).toEqual({
    service: 'web',
    version: '2',
    status: ['ERROR'],
    sort: 'VERSION',
    columns: ['SERVICE'],
  })
  expect(parseDeploymentSearch({ status: 'NONE', sort: 'NONE', ascending: 'yes', by: '' })).toEqual({})
})

test('the filters in the address become those of the API', () => {
  expect(deploymentQuery({}, now)).toEqual({ startTime: '2026-02-04T00:00:00.000Z' })
  const day = { from: '2026-03-03', to: '2026-03-03' }
  const search = parseDeploymentSearch({ ...day, environment: 'env_1', by: 'ada', sort: 'SERVICE', ascending: true })
  expect(deploymentQuery(search, now)).toEqual({
    startTime: '2026-03-03T00:00:00.000Z',
    endTime: '2026-03-04T00:00:00.000Z',
    environmentId: 'env_1',
    triggeredBy: 'ada',
    sort: 'SERVICE',
    order: 'ASCENDING',
  })
})

test('a click on a header sorts by it, and another one reverses the order', () => {
  expect(sortBy({ by: 'ada' }, 'SERVICE')).toEqual({ by: 'ada', sort: 'SERVICE', ascending: true })
  expect(sortBy({ sort: 'SERVICE', ascending: true }, 'SERVICE')).toEqual({ sort: 'SERVICE' })
  expect(sortBy({}, 'CREATED_AT')).toEqual({ sort: 'CREATED_AT', ascending: true })
  expect(sortBy({ sort: 'SERVICE' }, 'CREATED_AT')).toEqual({ sort: 'CREATED_AT' })
})

test('columns have one order, and order and columns are no filters', () => {
  expect(shownColumns({ columns: ['STATUS', 'SERVICE'] })).toEqual(['SERVICE', 'STATUS'])
  expect(shownColumns({})).not.toContain('PROJECT')
  expect(isFiltered({ sort: 'SERVICE', columns: ['STATUS'] })).toBe(false)
  expect(isFiltered({ days: '7' })).toBe(true)
})
