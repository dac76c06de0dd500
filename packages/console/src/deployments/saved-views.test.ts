import type { SavedView } from '@sluice/contract'
import { expect, test } from 'vitest'
import { parseDeploymentSearch } from './deployment-filters.ts'
import { currentView, searchOfView, withoutView, withView } from './saved-views.ts'

const view = (name: string, search: string, isOwn = true): SavedView => ({
  page: 'DEPLOYMENTS',
  name,
  search,
  isShared: !isOwn,
  isOwn,
  createdBy: 'ada@example.com',
})

test('a view keeps filters, order and columns, and shows them again', () => {
  const search = parseDeploymentSearch({
    status: ['ERROR', 'ROLLED_BACK'],
    version: 2,
    days: '7',
    sort: 'DURATION',
    ascending: true,
    columns: ['SERVICE', 'VERSION'],
  })
  const [saved] = withView([], { name: 'Failures', isShared: true, search })
  expect(saved).toMatchObject({ name: 'Failures', isShared: true })
  expect(searchOfView({ search: saved?.search ?? '' })).toEqual(search)
})

test('the current view is found by what it shows, the caller’s own first', () => {
  const views = [view('All', ''), view('Mine', 'version=2'), view('Theirs', 'version=2', false)]
  expect(currentView(views, { version: '2' })?.name).toBe('Mine')
  expect(currentView(views, {})?.name).toBe('All')
  expect(currentView(views, { version: '3' })).toBeUndefined()
})

test('a view replaces the caller’s view of the same name, and never one of others', () => {
  const views = [view('A', 'version=1'), view('B', ''), view('C', '', false)]
  expect(withView(views, { name: 'A', isShared: false, search: { version: '2' } }).map(({ name }) => name)).toEqual([
    'B',
    'A',
  ])
  expect(withoutView(views, 'C').map(({ name }) => name)).toEqual(['A', 'B'])
})
