import { afterEach, expect, test, vi } from 'vitest'
import { patiently } from './patiently.ts'

afterEach(() => vi.unstubAllGlobals())

/** Answers each check in turn; undefined stands for no answer. */
const answers = (...statuses: (number | undefined)[]) =>
  vi.stubGlobal('fetch', async () => {
    const status = statuses.shift()
    if (status === undefined) throw new TypeError('Failed to fetch')
    return new Response(null, { status })
  })

test('what cannot be loaded while the service is away is loaded when it is back', async () => {
  answers(undefined)
  let attempts = 0
  const load = async () => {
    attempts += 1
    if (attempts === 1) throw new TypeError('Failed to fetch dynamically imported module')
    return 'the page'
  }
  await expect(patiently(load)).resolves.toBe('the page')
})

test('what is not to be had from a service that is there fails', async () => {
  answers(200)
  await expect(patiently(() => Promise.reject(new TypeError('gone')))).rejects.toThrow('gone')
})
