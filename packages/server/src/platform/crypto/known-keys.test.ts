import { randomBytes } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { openTestDatabase } from '../../testing/database.ts'
import { createKeys } from './keys.ts'
import { expectKnownKeys, forgetLostKeys, retireOlderKeys } from './known-keys.ts'

const [first, second, third] = [randomBytes(32), randomBytes(32), randomBytes(32)]

async function emptyDatabase() {
  const { db, close } = await openTestDatabase()
  onTestFinished(close)
  return {
    starts: (...keys: [Buffer, ...Buffer[]]) => expectKnownKeys(db, createKeys(keys)),
    retires: (...keys: [Buffer, ...Buffer[]]) => retireOlderKeys(db, createKeys(keys)),
    forgets: (...keys: [Buffer, ...Buffer[]]) => forgetLostKeys(db, createKeys(keys)),
  }
}

test('a database accepts the key that it was first started with, and no other', async () => {
  const { starts } = await emptyDatabase()
  await Promise.all([starts(first), starts(first)])
  await starts(first)
  await expect(starts(second)).rejects.toThrow('Start with SLUICE_ENCRYPTION_KEYS')
  await starts(first)
})

test('of two processes that start concurrently with different keys on an empty database, one succeeds', async () => {
  const { starts } = await emptyDatabase()
  const outcomes = await Promise.allSettled([starts(first), starts(second)])
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
})

test('a key is rotated process by process, and the old one is forgotten when nothing is encrypted with it', async () => {
  const { starts, retires } = await emptyDatabase()
  await starts(first)
  await starts(first, second)
  await starts(second, first)
  await starts(first, second)
  await expect(starts(first)).rejects.toThrow('encrypted with another key')
  await expect(starts(second)).rejects.toThrow('encrypted with another key')
  await retires(second, first)
  await starts(second)
  await expect(starts(first)).rejects.toThrow('encrypted with another key')
})

test('a lost key can be forgotten, and used again if it is found', async () => {
  const { starts, forgets } = await emptyDatabase()
  await starts(first)
  await expect(starts(third)).rejects.toThrow('sluice forget-lost-keys')
  expect(await forgets(third)).toBe(1)
  expect(await forgets(third)).toBe(0)
  await starts(third)
  await starts(third, first)
})
