import { expect, test } from 'vitest'
import { createEmptyDatabase, createTestDatabase } from '../../testing/database.ts'
import { isThere, lookInto, stateOf } from './look.ts'
import { expectNoLater, openDatabase } from './open.ts'

test('an empty database stays empty', async () => {
  const { location, drop } = await createEmptyDatabase()
  try {
    expect(await lookInto(location, stateOf)).toMatchObject({
      hasSchema: false,
      version: expect.stringMatching(/^\d+/),
    })
    expect(await lookInto(location, stateOf)).toMatchObject({ hasSchema: false })
  } finally {
    await drop()
  }
})

test('the schema of this version is known as such', async () => {
  const { location, drop } = await createTestDatabase()
  try {
    await (await openDatabase(location)).close()
    expect(await lookInto(location, stateOf)).toMatchObject({ hasSchema: true })
    expect(await lookInto(location, expectNoLater)).toBe('current')
  } finally {
    await drop()
  }
})

test('an embedded database that was never made is not there', () => {
  expect(isThere({ directory: '/nowhere/database' })).toBe(false)
})

test('a server that rejected the connection is named', async () => {
  const url = 'postgres://sluice@127.0.0.1:1/sluice'
  await expect(lookInto({ url }, stateOf)).rejects.toThrow('DATABASE_URL: 127.0.0.1:1 rejected the connection')
})
