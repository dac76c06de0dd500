import { afterEach, expect, test, vi } from 'vitest'
import { retryUntilReachable } from './retry-until-reachable.ts'

afterEach(() => vi.unstubAllGlobals())

/** Answers each check in turn; undefined stands for no answer. */
const answers = (...statuses: (number | undefined)[]) =>
  vi.stubGlobal('fetch', async () => {
    const status = statuses.shift()
    if (status === undefined) throw new TypeError('Failed to fetch')
    return new Response(null, { status })
  })

test('a request that fails while the server is down succeeds when it is back', async () => {
  answers(undefined)
  let attempts = 0
  const load = async () => {
    attempts += 1
    if (attempts === 1) throw new TypeError('Failed to fetch dynamically imported module')
    return 'the page'
  }
  await expect(retryUntilReachable(load)).resolves.toBe('the page')
})

test('a resource that is missing on a reachable server fails', async () => {
  answers(200)
  await expect(retryUntilReachable(() => Promise.reject(new TypeError('gone')))).rejects.toThrow('gone')
})
