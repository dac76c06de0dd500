import { setImmediate as breathe } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { projects } from '../../projects/projects/tables.ts'
import { type SeededOrganization, seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { eq } from '../db/drizzle.ts'
import { newId } from '../ids.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
let owner: SeededOrganization

beforeAll(async () => {
  world = await startHttpWorld()
  owner = await seedOrganization(world.db)
})
afterAll(() => world?.[Symbol.asyncDispose]())

async function addProject(): Promise<string> {
  const id = newId('prj')
  await world.db.insert(projects).values({ id, organizationId: owner.organizationId, name: 'A', givenId: id })
  return id
}

test('rows that are inserted or deleted between pages neither repeat nor hide other rows', async () => {
  const there: string[] = []
  for (let n = 0; n < 90; n++) there.push(await addProject())
  const staying = there.filter((_, n) => n % 3 === 0)
  const leaving = there.filter((_, n) => n % 3 !== 0)

  let isOver = false
  const writers = [1, 2, 3].map(async () => {
    let writes = 0
    for (; !isOver; writes++) {
      await breathe() // the embedded database runs without yielding to the event loop
      await addProject()
      const gone = leaving.pop() // newest first, so that rows disappear just before their page is read
      if (gone !== undefined) await world.db.delete(projects).where(eq(projects.id, gone))
    }
    return writes
  })
  const seen = await everyPage().finally(() => {
    isOver = true
  })
  const writes = (await Promise.all(writers)).reduce((sum, one) => sum + one, 0)

  expect(seen).toEqual(seen.toSorted().reverse())
  expect(new Set(seen).size).toBe(seen.length)
  expect(seen).toEqual(expect.arrayContaining(staying))
  expect(writes).toBeGreaterThan(10) // proves that rows changed while the pages were read
  expect(leaving.length).toBeLessThan(60)
})

async function everyPage(): Promise<string[]> {
  const seen: string[] = []
  let cursor = ''
  do {
    const { status, body } = await world.ask(`/projects?limit=5${cursor && `&cursor=${cursor}`}`, { key: owner.key })
    expect(status).toBe(200)
    seen.push(...body.data.map(({ id }: { id: string }) => id))
    cursor = body.meta.nextCursor
  } while (cursor !== '')
  return seen
}
