import { afterAll, expect, test } from 'vitest'
import { asc, eq } from '../../platform/db/drizzle.ts'
import { newId } from '../../platform/ids.ts'
import { openTestDatabase } from '../../testing/database.ts'
import { createOneOfEverything } from '../../testing/resources.ts'
import { stackWorkspaces } from '../stacks/tables.ts'
import { deleteOldStateVersions } from './retention.ts'
import { iacStateVersions } from './tables.ts'

const database = await openTestDatabase()
afterAll(() => database.close())

test('the configured number of newest state versions is retained', async () => {
  const { db } = database
  await createOneOfEverything(db)
  const [version] = await db.select().from(iacStateVersions)
  if (!version) throw new Error('there is one of everything')
  const later = Array.from({ length: 7 }, (_, index) => version.sequence + index + 1)
  await db.insert(iacStateVersions).values(later.map((sequence) => ({ ...version, id: newId('isv'), sequence })))
  const latestStateSequence = later.at(-1) ?? 0
  await db.update(stackWorkspaces).set({ latestStateSequence }).where(eq(stackWorkspaces.id, version.workspaceId))

  await deleteOldStateVersions(5)(db, new Date())
  const left = await db.select().from(iacStateVersions).orderBy(asc(iacStateVersions.sequence))
  expect(left.map(({ sequence }) => sequence)).toEqual(later.slice(-5))
})
