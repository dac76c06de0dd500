import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { AttemptUsers, findUsers, Users } from './users.ts'

const everyId = '         0          0 4294967295\n'

test(
  'each attempt has its own user if the runner has enough IDs',
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

test('a user is allocated to one attempt at a time and shared by its programs', () => {
  const users = new AttemptUsers(new Users({ first: 1_800_000_000, count: 2 }))
  const user = users.allocate({ attempt: 'a', records: 'a/1' })
  expect(users.allocate({ attempt: 'a', records: 'a/2' })).toBe(user)
  expect(users.allocate({ attempt: 'b', records: 'b/1' })).not.toBe(user)
  users.release('a/1')
  expect(() => users.allocate({ attempt: 'c', records: 'c/1' })).toThrow('each of the 2 users')
  users.release('a/2')
  expect(users.allocate({ attempt: 'c', records: 'c/1' })).toBe(user)
})

test('a user with a running process is not allocated', () => {
  const own = process.getuid?.() ?? 0
  expect(new Users({ first: own, count: 2 }).allocate()).toBe(own + 1)
})
