import { expect, onTestFinished, test } from 'vitest'
import { openTestDatabase } from '../../testing/database.ts'
import { bootstrap, defaultFirstOrganization } from './bootstrap.ts'
import { organizations } from './tables.ts'

test('of several processes that start on an empty database, one creates the first organization', async () => {
  const { db, close } = await openTestDatabase()
  onTestFinished(close)
  const tokens = await Promise.all(Array.from({ length: 4 }, () => bootstrap(db, defaultFirstOrganization)))
  expect(tokens.filter((token) => token !== undefined)).toEqual([expect.stringMatching(/^slc_/)])
  expect(await db.$count(organizations)).toBe(1)
  expect(await bootstrap(db, defaultFirstOrganization)).toBeUndefined()
})
