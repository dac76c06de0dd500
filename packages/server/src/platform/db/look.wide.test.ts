import { expect, test } from 'vitest'
import { createEmptyDatabase, createTestDatabase } from '../../testing/database.ts'
import { databaseExists, inspectDatabase, stateOf } from './look.ts'
import { checkSchemaVersion, openDatabase } from './open.ts'

test('an empty database stays empty', async () => {
  const { location, drop } = await createEmptyDatabase()
  try {
    expect(await inspectDatabase(location, stateOf)).toMatchObject({
      hasSchema: false,
      version: expect.stringMatching(/^\d+/),
    })
    expect(await inspectDatabase(location, stateOf)).toMatchObject({ hasSchema: false })
  } finally {
    await drop()
  }
})

test('the schema of this version is known as such', async () => {
  const { location, drop } = await createTestDatabase()
  try {
    await (await openDatabase(location)).close()
    expect(await inspectDatabase(location, stateOf)).toMatchObject({ hasSchema: true })
    expect(await inspectDatabase(location, checkSchemaVersion)).toBe('current')
  } finally {
    await drop()
  }
})

test('an embedded database that was never made is not there', () => {
  expect(databaseExists({ directory: '/nowhere/database' })).toBe(false)
})

test('a server that rejected the connection is named', async () => {
  const url = 'postgres://sluice@127.0.0.1:1/sluice'
  await expect(inspectDatabase({ url }, stateOf)).rejects.toThrow('DATABASE_URL: 127.0.0.1:1 rejected the connection')
})
