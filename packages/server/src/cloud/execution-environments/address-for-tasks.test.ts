import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { addressForTasks } from './address-for-tasks.ts'

const people = (publicUrl: string | undefined) => addressForTasks({ runnerUrl: undefined, publicUrl })

test(
  'an address that tasks cannot reach is rejected',
  everyCase(
    [
      undefined,
      'http://localhost:4600',
      'https://sluice.localhost',
      'http://127.0.0.1:4600',
      'http://127.1.2.3',
      'http://0.0.0.0:4600',
      'http://[::1]:4600',
      'http://[::ffff:127.0.0.1]',
      'http://169.254.1.1',
    ],
    (url) => {
      expect(people(url)).toBeUndefined()
    },
  ),
)

test.each(['https://sluice.example.com', 'http://10.0.0.7:4600', 'https://localhost.example.com'])(
  '%s is accepted',
  (url) => {
    expect(people(url)).toBe(url)
  },
)

test('the configured address for tasks is used unchecked', () => {
  const runnerUrl = 'http://127.0.0.1:4600'
  expect(addressForTasks({ runnerUrl, publicUrl: 'https://sluice.example.com' })).toBe(runnerUrl)
})
