import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { newApiKey, storedApiKey } from './api-key.ts'
import type { Caller } from './caller.ts'
import { createCallers } from './callers.ts'
import { credentialIn } from './credential.ts'
import { newSessionToken } from './session-cookie.ts'

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
  access: { role: 'VIEWER', grants: [], restricted: new Set(), hidden: new Set() },
  isEnding: false,
}

test('keys have 256 random bits after their prefix, and only a hash and a hint are stored', () => {
  const key = newApiKey()
  expect(key).toMatch(/^slc_[\w-]{43}$/)
  expect(newApiKey()).not.toBe(key)
  const { tokenHash, tokenHint } = storedApiKey(key)
  expect(tokenHash).toMatch(/^[0-9a-f]{64}$/)
  expect(tokenHint).toBe(key.slice(0, 8))
})

const key = newApiKey()
const session = newSessionToken()

test(
  'a valid credential is recognized in the headers',
  everyCase(
    [
      [{ authorization: `Bearer ${key}` }, 'API_KEY', key],
      [{ authorization: `bearer  ${key}` }, 'API_KEY', key],
      [{ authorization: `Bearer ${key}`, cookie: `sluice_session=${session}` }, 'API_KEY', key],
      [{ cookie: `sluice_session=${session}` }, 'SESSION', session],
      [{ cookie: `a=1; sluice_session=${session}; b=2` }, 'SESSION', session],
    ],
    (headers, type, token) => {
      expect(credentialIn(headers)).toMatchObject({ type, token, tokenHash: expect.stringMatching(/^[0-9a-f]{64}$/) })
    },
  ),
)

test(
  'invalid headers contain no credential',
  everyCase(
    [
      {},
      { authorization: '' },
      { authorization: key },
      { authorization: `Basic ${key}` },
      { authorization: `Bearer ${key} ${key}` },
      { authorization: 'Bearer slc_short' },
      { authorization: `Bearer slc_${'x'.repeat(5000)}` },
      { authorization: `Bearer ${session}` },
      { authorization: 'Bearer wrong', cookie: `sluice_session=${session}` },
      { cookie: '' },
      { cookie: `other=${session}` },
      { cookie: `sluice_session=${key}` },
      { cookie: `sluice_session=${session}x` },
      { cookie: '__proto__=1; sluice_session' },
    ],
    (headers) => {
      expect(credentialIn(headers)).toBeUndefined()
    },
  ),
)

const credential = { type: 'API_KEY', token: key, tokenHash: storedApiKey(key).tokenHash } as const

test('a burst of requests looks the credential up once, and a revoked one stops working within a second', async () => {
  let nowMs = 0
  let lookups = 0
  let isRevoked = false
  const { find } = createCallers(
    async () => {
      lookups += 1
      return isRevoked ? undefined : caller
    },
    () => nowMs,
  )

  expect(await Promise.all([find(credential), find(credential), find(credential)])).toEqual([caller, caller, caller])
  expect(lookups).toBe(1)
  isRevoked = true
  nowMs = 999
  expect(await find(credential)).toBeUndefined()
})

test('a key and a session with the same hash are not the same', async () => {
  const { find } = createCallers(async ({ type }) => (type === 'API_KEY' ? caller : undefined))
  expect(await find(credential)).toEqual(caller)
  expect(await find({ ...credential, type: 'SESSION' })).toBeUndefined()
})

test('a caller that was found before a change of permissions is looked up again', async () => {
  let isRevoked = false
  const callers = createCallers(async () => (isRevoked ? undefined : caller))
  await callers.find(credential)
  isRevoked = true
  callers.forget()
  expect(await callers.find(credential)).toBeUndefined()
})

test('an unknown credential is looked up every time, so that a new one works at once', async () => {
  let found: Caller | undefined
  const { find } = createCallers(async () => found)
  expect(await find(credential)).toBeUndefined()
  found = caller
  expect(await find(credential)).toEqual(caller)
})

test('a failed lookup is repeated by the next request', async () => {
  let isDown = true
  const { find } = createCallers(async () => {
    if (isDown) throw new Error('the database is away')
    return caller
  })
  await expect(find(credential)).rejects.toThrow('away')
  isDown = false
  expect(await find(credential)).toEqual(caller)
})
