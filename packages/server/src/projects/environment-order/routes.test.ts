import { afterAll, beforeAll, expect, test } from 'vitest'
import { Client } from '../../testing/client.ts'
import { startHttpWorld } from '../../testing/http-world.ts'
import { addMember } from '../../testing/members.ts'
import { createOneOfEverything, type OneOfEverything } from '../../testing/resources.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
let mine: OneOfEverything
let client: Client
beforeAll(async () => {
  world = await startHttpWorld()
  mine = await createOneOfEverything(world.db)
  client = new Client(world.url, await addMember(world.db, mine.organizationId, 'OWNER'))
})
afterAll(() => world?.[Symbol.asyncDispose]())

type Order = { order: string[] }

const orderOf = async (projectId: string) =>
  (await client.done<Order>('GET', `/projects/${projectId}/environment-order`)).order

/** Creates a project with environments of these names, and returns their ids in the same order. */
async function project(...names: string[]): Promise<{ path: string; projectId: string; ids: string[] }> {
  const name = `p-${crypto.randomUUID().slice(0, 8)}`
  const { id: projectId } = await client.done<{ id: string }>('POST', '/projects', { data: { givenId: name, name } })
  const ids: string[] = []
  for (const givenId of names) {
    const data = { projectId, givenId, name: givenId }
    ids.push((await client.done<{ id: string }>('POST', '/environments', { data })).id)
  }
  return { path: `/projects/${projectId}/environment-order`, projectId, ids }
}

test('environments are ordered by age until a user sets the order', async () => {
  const { path, projectId, ids } = await project('production', 'staging', 'testing')
  expect(await orderOf(projectId)).toEqual(ids)
  const order = ids.toReversed()
  expect(await client.done<Order>('PATCH', path, { data: { order } })).toEqual({ order })
  expect(await orderOf(projectId)).toEqual(order)
})

test('omitted and newer environments come last', async () => {
  const { path, projectId, ids } = await project('one', 'two', 'three')
  const [one = '', two = '', three = ''] = ids
  await client.done('PATCH', path, { data: { order: [three] } })
  expect(await orderOf(projectId)).toEqual([three, one, two])
  const data = { projectId, givenId: 'four', name: 'four' }
  const { id: four } = await client.done<{ id: string }>('POST', '/environments', { data })
  expect(await orderOf(projectId)).toEqual([three, one, two, four])
})

test('an environment of another project or organization, and a duplicate, are rejected', async () => {
  const { path, projectId, ids } = await project('one')
  const elsewhere = (await project('one')).ids[0] ?? ''
  const theirs = (await createOneOfEverything(world.db)).byPath.environments ?? ''
  for (const id of [elsewhere, theirs]) {
    const { status, body } = await client.ask('PATCH', path, { data: { order: [...ids, id] } })
    expect([status, JSON.stringify(body)]).toEqual([422, expect.stringContaining(id)])
  }
  expect((await client.ask('PATCH', path, { data: { order: [...ids, ...ids] } })).status).toBe(400)
  expect(await orderOf(projectId)).toEqual(ids)
})

test('the audit log has the old and the new order', async () => {
  const { path, projectId, ids } = await project('one', 'two')
  await client.done('PATCH', path, { data: { order: ids.toReversed() } })
  const [event] = await client.done<object[]>('GET', `/audit-events?resourceId=${projectId}&limit=1`)
  expect(event).toMatchObject({
    action: 'projects.order-environments',
    details: { order: ids.toReversed() },
    before: { order: ids },
  })
})
