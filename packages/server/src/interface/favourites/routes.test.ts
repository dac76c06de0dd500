import type { AuditEvent, Favourite } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Client } from '../../testing/client.ts'
import { startHttpWorld } from '../../testing/http-world.ts'
import { addMember } from '../../testing/members.ts'
import { createOneOfEverything, type OneOfEverything } from '../../testing/resources.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
let mine: OneOfEverything
let owner: Client
beforeAll(async () => {
  world = await startHttpWorld()
  mine = await createOneOfEverything(world.db)
  owner = new Client(world.url, await addMember(world.db, mine.organizationId, 'OWNER'))
})
afterAll(() => world?.[Symbol.asyncDispose]())

const viewer = async () => new Client(world.url, await addMember(world.db, mine.organizationId, 'VIEWER'))
const idsOf = async (client: Client) => (await client.done<Favourite[]>('GET', '/favourites')).map(({ id }) => id)
const set = (client: Client, ids: readonly string[]) => client.ask('PATCH', '/favourites', { data: { ids } })
const known = (...paths: string[]) => paths.map((path) => mine.byPath[path] ?? '')

test('favourites are stored for each member in their order, and can be removed', async () => {
  const [one, other] = [await viewer(), await viewer()]
  const ids = known('pipelines', 'module-instances', 'projects')
  expect((await set(one, ids)).status).toBe(200)
  expect(await idsOf(one)).toEqual(ids)
  expect(await idsOf(other)).toEqual([])
  await set(one, ids.toReversed())
  expect(await idsOf(one)).toEqual(ids.toReversed())
  await set(one, [])
  expect(await idsOf(one)).toEqual([])
})

test('a favourite has its name, type and location', async () => {
  const member = await viewer()
  await set(member, known('module-instances', 'projects'))
  const [service, project] = await member.done<Favourite[]>('GET', '/favourites')
  expect(service).toMatchObject({ type: 'SERVICE', title: expect.stringContaining(' · '), detail: project?.title })
  expect(project).toMatchObject({ type: 'PROJECT' })
})

test('an unknown record, or one of another organization or type, is rejected without a change', async () => {
  const member = await viewer()
  const [project = ''] = known('projects')
  await set(member, [project])
  const theirs = (await createOneOfEverything(world.db)).byPath
  for (const id of [theirs.projects ?? '', mine.byPath.deployments ?? '', 'prj_none']) {
    const { status, body } = await set(member, [project, id])
    expect([status, JSON.stringify(body)]).toEqual([422, expect.stringContaining(id)])
  }
  expect(await idsOf(member)).toEqual([project])
})

test('a duplicate is stored once', async () => {
  const member = await viewer()
  const [project = ''] = known('projects')
  expect((await set(member, [project, project])).status).toBe(200)
  expect(await idsOf(member)).toEqual([project])
})

test('hidden and deleted records are not returned', async () => {
  const member = await viewer()
  const hidden = await createOneOfEverything(world.db, mine)
  const [project = '', pipeline = ''] = [hidden.byPath.projects, hidden.byPath.pipelines]
  await set(member, [project, pipeline])
  await owner.done('PATCH', `/projects/${project}`, { data: { visibility: 'MEMBERS' } })
  expect(await idsOf(member)).toEqual([])
  await owner.done('PATCH', `/projects/${project}`, { data: { visibility: 'ORGANIZATION' } })
  expect(await idsOf(member)).toEqual([project, pipeline])
})

test('the audit log has the old and the new favourites', async () => {
  const ids = known('projects')
  await set(owner, ids)
  const { membershipId } = await owner.done<{ membershipId: string }>('GET', '/auth/whoami')
  const [event] = await owner.done<AuditEvent[]>('GET', `/audit-events?resourceId=${membershipId}&limit=1`)
  expect(event).toMatchObject({ action: 'favourites.update', details: { ids }, before: { ids: [] } })
})
