import { afterAll, expect, test } from 'vitest'
import { hashOf } from '../../platform/auth/token.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { openTestDatabase } from '../../testing/database.ts'
import { defaultSessionLife } from '../../testing/http-world.ts'
import { addMember } from '../../testing/members.ts'
import { createOneOfEverything } from '../../testing/resources.ts'
import { projects } from '../projects/tables.ts'
import { accessDigestsIn } from './access.ts'

const { db, close } = await openTestDatabase()
afterAll(close)

test('the access of a stream changes with its own organization, and not with another one', async () => {
  const [mine, theirs] = [await createOneOfEverything(db), await createOneOfEverything(db)]
  const tokens = [
    await addMember(db, mine.organizationId, 'OWNER'),
    await addMember(db, theirs.organizationId, 'OWNER'),
  ]
  const credentials = tokens.map((token) => ({ type: 'API_KEY' as const, token, tokenHash: hashOf(token) }))
  const read = async () => {
    const rights = await accessDigestsIn(db, defaultSessionLife)(credentials)
    return credentials.map(({ tokenHash }) => rights.get(tokenHash))
  }
  const [myRights, theirRights] = await read()
  await db.update(projects).set({ visibility: 'MEMBERS' }).where(eq(projects.organizationId, theirs.organizationId))
  const [myRightsAfter, theirRightsAfter] = await read()
  expect(myRights).toEqual(expect.any(String))
  expect(myRightsAfter).toBe(myRights)
  expect(theirRightsAfter).not.toBe(theirRights)
})
