import { expect, test } from 'vitest'
import { CloudPermanentError, CloudTransientError, NoCredentials } from './cloud-call.ts'
import { retryTransient } from './retry-transient.ts'

/** Returns a call that throws these errors one after another and then succeeds, and the number of its attempts. */
function failing(...errors: Error[]) {
  const attempts = { count: 0 }
  const call = async () => {
    const error = errors[attempts.count]
    attempts.count += 1
    if (error) throw error
    return 'done'
  }
  return { attempts, call }
}

const throttled = () => new CloudTransientError('ThrottlingException: Rate exceeded')

test('a call succeeds after transient errors', async () => {
  const { call, attempts } = failing(throttled(), throttled())
  expect(await retryTransient(call, [1, 1, 1])).toBe('done')
  expect(attempts.count).toBe(3)
})

test('a call that keeps failing ends with its last error', async () => {
  const last = throttled()
  const { call } = failing(throttled(), throttled(), last)
  await expect(retryTransient(call, [1, 1])).rejects.toBe(last)
})

test.for([new CloudPermanentError('AccessDeniedException', 'not allowed'), new NoCredentials({}), new Error('a bug')])(
  '$name is not repeated',
  async (error) => {
    const { call, attempts } = failing(error)
    await expect(retryTransient(call, [1, 1])).rejects.toBe(error)
    expect(attempts.count).toBe(1)
  },
)
