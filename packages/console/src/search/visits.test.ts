import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { addVisit, visitAt } from './visits.ts'

test(
  'only pages of records are remembered',
  everyCase(
    [
      ['/console/instances/mi_1', { kind: 'instances', id: 'mi_1', title: 'web' }],
      ['/console/environments/env_1', undefined],
      ['/console/environments/env_1/new', undefined],
      ['/console/toString/x', undefined],
      ['/', undefined],
    ],
    (path, seen) => {
      expect(visitAt(path, 'web')).toEqual(seen)
    },
  ),
)

test('visits are kept newest first, without duplicates, up to a limit', () => {
  const page = (id: string, title = id) => ({ kind: 'runs', id, title }) as const
  expect(addVisit([page('a'), page('b')], page('b', 'new'))).toEqual([page('b', 'new'), page('a')])
  const many = Array.from({ length: 8 }, (_, n) => page(`run_${n}`))
  expect(addVisit(many, page('a')).map(({ id }) => id)).toEqual(['a', ...many.slice(0, 7).map(({ id }) => id)])
})
