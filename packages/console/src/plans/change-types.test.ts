import type { IacChangeType, IacResource } from '@sluice/contract'
import { expect, test } from 'vitest'
import { groupResources } from './change-types.ts'

const resource = (address: string, changeType: IacChangeType) => ({ address, changeType }) as IacResource
const resources = [
  resource('web[10]', 'CREATE'),
  resource('web[9]', 'CREATE'),
  resource('old.queue', 'DELETE'),
  resource('c.Web', 'UPDATE'),
]
const shown = (types: IacChangeType[], text: string) =>
  groupResources(resources, { types: new Set(types), text }).map(({ type, resources }) => [
    type,
    resources.map(({ address }) => address),
  ])

test('destructive changes come first, and each group is sorted by address', () => {
  expect(shown([], '')).toEqual([
    ['DELETE', ['old.queue']],
    ['UPDATE', ['c.Web']],
    ['CREATE', ['web[9]', 'web[10]']],
  ])
})

test('search matches addresses, ignoring case', () => {
  expect(shown([], ' WEB ')).toEqual([
    ['UPDATE', ['c.Web']],
    ['CREATE', ['web[9]', 'web[10]']],
  ])
})

test('only the selected types of change are shown', () => {
  expect(shown(['DELETE', 'UPDATE'], '')).toEqual([
    ['DELETE', ['old.queue']],
    ['UPDATE', ['c.Web']],
  ])
})
