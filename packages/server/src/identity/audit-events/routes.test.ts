import { type AuditEvent, apiErrors, type Project } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../../platform/ids.ts'
import { Client } from '../../testing/client.ts'
import { type SeededOrganization, seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { addMember } from '../../testing/members.ts'
import { serviceAuthor } from './author.ts'
import { auditEvents } from './tables.ts'

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

test('an owner sees who changed what, when and from where', async () => {
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
    projectId: project.id,
    channel: 'API',
    details: { givenId: 'shop', name: 'Shop' },
    ipAddress: '127.0.0.1',
    userAgent: 'curl/8',
    requestId: 'req-of-mine',
    chain: {
      sequence: expect.any(Number),
      contentHash: expect.stringMatching(/^\w{64}$/),
      previousHash: expect.stringMatching(/^\w{64}$/),
      hash: expect.stringMatching(/^\w{64}$/),
    },
  })
  expect(updated).toMatchObject({ action: 'projects.update', actorName: expect.stringMatching(/^admin-/) })

  expect(await list(`actorId=${owner.membershipId}&resourceType=project`)).toEqual([created])
  expect(await list('action=projects.update')).toEqual([updated])
  expect(await list('action=projects.delete')).toEqual([])
  const ofProject = `resourceId=${project.id}`
  expect(await list(`${ofProject}&channel=API&actorType=MEMBERSHIP`)).toHaveLength(2)
  expect(await list(`${ofProject}&channel=CLI`)).toEqual([])
  expect(await list(`${ofProject}&actorType=SERVICE`)).toEqual([])
  expect(await list(`${ofProject}&actorName=${owner.userId}@`)).toEqual([created])
  expect(await list(`${ofProject}&actorName=@example.com`)).toEqual([])
  expect(await list(`${ofProject}&startTime=${updated?.createdAt}`)).toContainEqual(updated)
  expect(await list(`${ofProject}&endTime=${created?.createdAt}`)).toEqual([])
  for (const path of ['/audit-events', '/audit-events/export']) {
    const { status, body } = await client.ask('GET', `${path}?startTime=2026-13-01T00:00:00Z`)
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('$.startTime')])
  }
  expect((await colleague.ask('GET', '/audit-events')).body).toMatchObject({ code: apiErrors.forbidden.code })
})

test('a change of a project’s configuration names the project', async () => {
  const make = (path: string, data: object) => client.done<{ id: string }>('POST', path, { data })
  const [{ id: projectId }, { id: another }] = [
    await make('/projects', { givenId: 'blog', name: 'Blog' }),
    await make('/projects', { givenId: 'docs', name: 'Docs' }),
  ]
  const { id: environmentId } = await make('/environments', { projectId, givenId: 'production', name: 'Production' })
  const window = { from: '2099-01-01T00:00:00Z', until: '2099-01-02T00:00:00Z' }
  const freeze = { name: 'Sale', window, stops: ['RELEASES'] }
  const { id } = await make('/freezes', { ...freeze, environmentId })
  await client.done('PATCH', `/freezes/${id}`, { data: { reason: 'Nobody is there.' } })
  await make('/freezes', freeze)
  const lines = await list(`projectId=${projectId}`)
  expect(lines.map(({ action, environmentId }) => [action, environmentId])).toEqual([
    ['freezes.update', environmentId],
    ['freezes.create', environmentId],
    ['environments.create', environmentId],
    ['projects.create', undefined],
  ])
  expect(await list(`projectId=${another}`)).toHaveLength(1)
})

test('a rejected change is not recorded, and events of other organizations are not visible', async () => {
  const other = new Client(world.url, (await seedOrganization(world.db)).key)
  const data = { givenId: 'site', name: 'Site' }
  await other.done('POST', '/projects', { data })
  expect((await other.ask('POST', '/projects', { data })).status).toBe(409)
  expect(await other.done('GET', '/audit-events')).toHaveLength(1)
  const mine = await list('limit=100')
  expect(mine.map(({ organizationId }) => organizationId)).toEqual(mine.map(() => owner.organizationId))
})

test('all matching events are exported, newest first, one per line', async () => {
  const { organizationId, key } = await seedOrganization(world.db)
  const exporting = new Client(world.url, key)
  const line = (action: string) => ({ id: newId('aud'), ...serviceAuthor(organizationId), action, ...about })
  const about = { resourceType: 'project', resourceId: 'prj_1' }
  await world.db.insert(auditEvents).values(Array.from({ length: 450 }, () => line('projects.update')))
  await world.db.insert(auditEvents).values(line('projects.delete'))
  const exported = async (query: string) => {
    const { status, headers, body = '' } = await exporting.ask('GET', `/audit-events/export?${query}`)
    expect([status, headers.get('content-type')]).toEqual([200, 'application/x-ndjson'])
    return String(body)
      .split('\n')
      .filter((text) => text !== '')
      .map((text) => JSON.parse(text) as AuditEvent)
  }
  const all = await exported('')
  expect(all).toHaveLength(451)
  expect(all.map(({ id }) => id)).toEqual(
    all
      .map(({ id }) => id)
      .toSorted()
      .reverse(),
  )
  const [first] = await exporting.done<AuditEvent[]>('GET', '/audit-events?limit=1')
  expect(all[0]).toEqual(first)
  expect(await exported('action=projects.delete')).toEqual([first])
  const developer = new Client(world.url, await addMember(world.db, organizationId, 'DEVELOPER'))
  expect((await developer.ask('GET', '/audit-events/export')).status).toBe(403)
})

test('an organization can lengthen the retention period of the installation, but not shorten it', async () => {
  const { key, organizationId } = await seedOrganization(world.db)
  const asking = new Client(world.url, key)
  const path = '/audit-events/retention'
  expect(await asking.done('GET', path)).toEqual({ effectiveDays: 400, installationDays: 400, organizationDays: null })
  const longer = { effectiveDays: 2_555, installationDays: 400, organizationDays: 2_555 }
  expect(await asking.done('PATCH', path, { data: { organizationDays: 2_555 } })).toEqual(longer)
  expect(await asking.done('GET', path)).toEqual(longer)
  expect(await asking.done('PATCH', path, { data: { organizationDays: 30 } })).toMatchObject({ effectiveDays: 400 })
  expect((await asking.ask('PATCH', path, { data: { organizationDays: 1 } })).status).toBe(400)
  expect(await asking.done('PATCH', path, { data: { organizationDays: null } })).toMatchObject({
    organizationDays: null,
  })
  const [line] = await asking.done<AuditEvent[]>('GET', '/audit-events?limit=1')
  const change = { before: { organizationDays: 30 }, details: { organizationDays: null } }
  expect(line).toMatchObject({ action: 'audit-events.keep', resourceId: organizationId, ...change })
  const admin = new Client(world.url, await addMember(world.db, organizationId, 'ADMIN'))
  expect((await admin.ask('PATCH', path, { data: { organizationDays: 500 } })).status).toBe(403)
})
