import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { seenAt, withSeen } from './seen.ts'

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
      expect(seenAt(path, 'web')).toEqual(seen)
    },
  ),
)

test('the latest comes first, each once, and few are kept', () => {
  const page = (id: string, title = id) => ({ kind: 'runs', id, title }) as const
  expect(withSeen([page('a'), page('b')], page('b', 'new'))).toEqual([page('b', 'new'), page('a')])
  const many = Array.from({ length: 8 }, (_, n) => page(`run_${n}`))
  expect(withSeen(many, page('a')).map(({ id }) => id)).toEqual(['a', ...many.slice(0, 7).map(({ id }) => id)])
})
