import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import { expect, onTestFinished, test } from 'vitest'
import { organizations } from '../../organizations/tables.ts'
import { createTestDatabase } from '../../testing/database.ts'
import { databaseAnswers, openDatabase } from './open.ts'

const acme = { id: 'org_acme', name: 'Acme', givenId: 'acme' }

test('what was written is there at the next start', async () => {
  const location = await emptyLocation()
  const first = await openDatabase(location)
  await first.db.insert(organizations).values(acme)
  await first.close()
  const second = await openDatabase(location)
  onTestFinished(() => second.close())
  expect(await second.db.select().from(organizations).where(eq(organizations.id, acme.id))).toMatchObject([acme])
})

test('processes that start at once on an empty server all find it migrated', async ({ skip }) => {
  const location = await emptyLocation()
  if (!('url' in location)) return skip('skipped: PostgreSQL')
  const databases = await Promise.all(Array.from({ length: 4 }, () => openDatabase(location)))
  onTestFinished(async () => void (await Promise.all(databases.map(({ close }) => close()))))
  for (const { db } of databases) expect(await db.$count(organizations)).toBe(0)
})

test('a database that is gone does not answer', async () => {
  const { db, close } = await openDatabase(await emptyLocation())
  expect(await databaseAnswers(db)).toBe(true)
  await close()
  expect(await databaseAnswers(db)).toBe(false)
})

/** A database of the server under test, or a directory for the embedded one; gone when the test is over. */
async function emptyLocation(): Promise<{ url: string } | { directory: string }> {
  const { url, drop } = await createTestDatabase()
  onTestFinished(drop)
  if (url !== undefined) return { url }
  const directory = await mkdtemp(join(tmpdir(), 'sluice-db-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return { directory: join(directory, 'db') }
}
