import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { AttemptUsers, findUsers, Users } from './users.ts'

const everyId = '         0          0 4294967295\n'

test(
  'attempts have users of their own where the runner has ids for them',
  everyCase(
    [
      [[everyId, everyId], 10_000],
      [[everyId, '0 100000 65536\n'], 1],
      [['0 100000 65536\n65536 1900000000 65536\n', everyId], 1],
      [['0 100000 1900010000\n', everyId], 10_000],
      [['', ''], 1],
    ] as const,
    (maps, count) => {
      expect(findUsers(maps).count).toBe(count)
    },
  ),
)

test('a user is lent to one attempt at a time, for all of its programs', () => {
  const lent = new AttemptUsers(new Users({ first: 1_800_000_000, count: 2 }))
  const user = lent.lend({ attempt: 'a', records: 'a/1' })
  expect(lent.lend({ attempt: 'a', records: 'a/2' })).toBe(user)
  expect(lent.lend({ attempt: 'b', records: 'b/1' })).not.toBe(user)
  lent.giveBack('a/1')
  expect(() => lent.lend({ attempt: 'c', records: 'c/1' })).toThrow('each of the 2 users')
  lent.giveBack('a/2')
  expect(lent.lend({ attempt: 'c', records: 'c/1' })).toBe(user)
})

test('a user that has a process is not lent', () => {
  const own = process.getuid?.() ?? 0
  expect(new Users({ first: own, count: 2 }).take()).toBe(own + 1)
})
