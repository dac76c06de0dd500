import { expect, test } from 'vitest'
import { apiKeyIn, newApiKey, storedApiKey } from './api-key.ts'
import { createAuthenticate } from './authenticate.ts'
import type { Caller } from './caller.ts'

const caller: Caller = {
  authSource: 'API_KEY',
  email: '',
  globalRole: 'USER',
  identityId: 'key_1',
  identityType: 'API_KEY',
  membershipId: 'mem_1',
  organizationId: 'org_1',
  organizationName: 'Acme',
  principalType: 'MEMBERSHIP',
  role: 'VIEWER',
  userId: 'usr_1',
}

test('keys are 256 random bits behind their prefix, and only a hash and a hint of them are kept', () => {
  const key = newApiKey()
  expect(key).toMatch(/^slc_[\w-]{43}$/)
  expect(newApiKey()).not.toBe(key)
  const { tokenHash, tokenHint } = storedApiKey(key)
  expect(tokenHash).toMatch(/^[0-9a-f]{64}$/)
  expect(tokenHint).toBe(key.slice(0, 8))
})

const key = newApiKey()

test.each([
  [`Bearer ${key}`, key],
  [`bearer  ${key}`, key],
  [undefined, undefined],
  ['', undefined],
  [key, undefined],
  [`Basic ${key}`, undefined],
  [`Bearer ${key} ${key}`, undefined],
  ['Bearer slc_short', undefined],
  [`Bearer slc_${'x'.repeat(5000)}`, undefined],
])('the header %s holds the key %s', (header, expected) => {
  expect(apiKeyIn(header)).toBe(expected)
})

test('a burst of requests looks the key up once, and a revoked key is dead within a second', async () => {
  let nowMs = 0
  let lookups = 0
  let isRevoked = false
  const authenticate = createAuthenticate(
    async () => {
      lookups += 1
      return isRevoked ? undefined : caller
    },
    () => nowMs,
  )
  const ask = () => authenticate(`Bearer ${key}`)

  expect(await Promise.all([ask(), ask(), ask()])).toEqual([caller, caller, caller])
  expect(lookups).toBe(1)
  isRevoked = true
  nowMs = 999
  expect(await ask()).toBeUndefined()
})

test('an unknown key is looked up every time, so that a new one works at once', async () => {
  let found: Caller | undefined
  const authenticate = createAuthenticate(async () => found)
  expect(await authenticate(`Bearer ${key}`)).toBeUndefined()
  found = caller
  expect(await authenticate(`Bearer ${key}`)).toEqual(caller)
})

test('a lookup that failed is tried again by the next request', async () => {
  let isDown = true
  const authenticate = createAuthenticate(async () => {
    if (isDown) throw new Error('the database is away')
    return caller
  })
  await expect(authenticate(`Bearer ${key}`)).rejects.toThrow('away')
  isDown = false
  expect(await authenticate(`Bearer ${key}`)).toEqual(caller)
})
