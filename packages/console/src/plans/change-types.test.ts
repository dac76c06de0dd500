import type { IacChangeType, IacResource } from '@sluice/contract'
import { expect, test } from 'vitest'
import { grouped } from './change-types.ts'

const resource = (address: string, changeType: IacChangeType) => ({ address, changeType }) as IacResource
const resources = [
  resource('web[10]', 'CREATE'),
  resource('web[9]', 'CREATE'),
  resource('old.queue', 'DELETE'),
  resource('c.Web', 'UPDATE'),
]
const shown = (types: IacChangeType[], text: string) =>
  grouped(resources, { types: new Set(types), text }).map(({ type, resources }) => [
    type,
    resources.map(({ address }) => address),
  ])

test('what is lost comes first, and each group goes by address', () => {
  expect(shown([], '')).toEqual([
    ['DELETE', ['old.queue']],
    ['UPDATE', ['c.Web']],
    ['CREATE', ['web[9]', 'web[10]']],
  ])
})

test('a search looks at addresses, whatever the case', () => {
  expect(shown([], ' WEB ')).toEqual([
    ['UPDATE', ['c.Web']],
    ['CREATE', ['web[9]', 'web[10]']],
  ])
})

test('only the chosen kinds of change are shown', () => {
  expect(shown(['DELETE', 'UPDATE'], '')).toEqual([
    ['DELETE', ['old.queue']],
    ['UPDATE', ['c.Web']],
  ])
})
