import { type AuditEvent, type Project, refusals } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Client } from '../../testing/client.ts'
import { type SeededOrganization, seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { addMember } from '../../testing/members.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
let owner: SeededOrganization
let client: Client
beforeAll(async () => {
  world = await startHttpWorld()
  owner = await seedOrganization(world.db)
  client = new Client(world.url, owner.key)
})
afterAll(() => world?.[Symbol.asyncDispose]())

const list = (query: string) => client.done<AuditEvent[]>('GET', `/audit-events?${query}`)

test('who changed what, when and from where is told to an owner', async () => {
  const answer = await client.send('POST', '/projects', {
    json: JSON.stringify({ data: { givenId: 'shop', name: 'Shop' } }),
    headers: { 'user-agent': 'curl/8', 'x-request-id': 'req-of-mine' },
  })
  const { data: project } = answer.body as { data: Project }
  const colleague = new Client(world.url, await addMember(world.db, owner.organizationId, 'ADMIN'))
  await colleague.done('PATCH', `/projects/${project.id}`, { data: { name: 'Shop 2' } })

  const [updated, created, ...others] = await list(`resourceId=${project.id}`)
  expect(others).toEqual([])
  expect(created).toEqual({
    id: expect.stringMatching(/^aud_/),
    createdAt: expect.any(String),
    organizationId: owner.organizationId,
    actorType: 'MEMBERSHIP',
    actorId: owner.membershipId,
    actorName: `${owner.userId}@example.com`,
    action: 'projects.create',
    resourceType: 'project',
    resourceId: project.id,
    channel: 'API',
    details: { givenId: 'shop', name: 'Shop' },
    ipAddress: '127.0.0.1',
    userAgent: 'curl/8',
    requestId: 'req-of-mine',
  })
  expect(updated).toMatchObject({ action: 'projects.update', actorName: expect.stringMatching(/^admin-/) })

  expect(await list(`actorId=${owner.membershipId}&resourceType=project`)).toEqual([created])
  expect(await list('action=projects.update')).toEqual([updated])
  expect(await list('action=projects.delete')).toEqual([])
  expect((await colleague.ask('GET', '/audit-events')).body).toMatchObject({ code: refusals.forbidden.code })
})

test('a change that is refused is not written down, nor is one of another organization shown', async () => {
  const other = new Client(world.url, (await seedOrganization(world.db)).key)
  const data = { givenId: 'site', name: 'Site' }
  await other.done('POST', '/projects', { data })
  expect((await other.ask('POST', '/projects', { data })).status).toBe(409)
  expect(await other.done('GET', '/audit-events')).toHaveLength(1)
  const mine = await list('limit=100')
  expect(mine.map(({ organizationId }) => organizationId)).toEqual(mine.map(() => owner.organizationId))
})
