import { apiErrors } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { deployments } from '../../delivery/deployments/store/tables.ts'
import { auditEvents } from '../../identity/audit-events/tables.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { newId } from '../../platform/ids.ts'
import { Client } from '../../testing/client.ts'
import { type SeededOrganization, seedInstances, seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { finishedDeployment } from '../../testing/resources.ts'
import { environments } from './tables.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
let owner: SeededOrganization
let client: Client

beforeAll(async () => {
  world = await startHttpWorld()
  owner = await seedOrganization(world.db)
  client = new Client(world.url, owner.key)
})
afterAll(() => world?.[Symbol.asyncDispose]())

type Record = { id: string; updatedAt: string } & { [field: string]: unknown }
let names = 0
const create = (fields: object = {}) => {
  names += 1
  return client.done<Record>('POST', '/projects', { data: { givenId: `p${names}`, name: 'Shop', ...fields } })
}

test('a project can be created, read and listed', async () => {
  const answer = await client.ask('POST', '/projects', {
    data: { givenId: 'web-shop', name: 'Shop', description: 'd' },
  })
  expect(answer.status).toBe(201)
  const { data } = answer.body as { data: Record }
  expect(data).toEqual({
    id: expect.stringMatching(/^prj_/),
    createdAt: expect.stringMatching(/Z$/),
    updatedAt: expect.stringMatching(/Z$/),
    organizationId: owner.organizationId,
    givenId: 'web-shop',
    name: 'Shop',
    description: 'd',
    restricted: false,
    visibility: 'ORGANIZATION',
  })
  expect(await client.done('GET', `/projects/${data.id}`)).toEqual(data)
  expect(await client.done('GET', '/projects?limit=1')).toEqual([data])
})

test('a givenId is unique within an organization', async () => {
  const { givenId, id } = await create()
  const other = await seedOrganization(world.db)
  const body = { data: { givenId, name: 'Other' } }
  expect(await new Client(world.url, other.key).ask('POST', '/projects', body)).toMatchObject({ status: 201 })
  const again = { status: 409, body: { code: apiErrors.projectGivenIdTaken.code } }
  expect(await client.ask('POST', '/projects', body)).toMatchObject(again)
  const second = await create()
  expect(await client.ask('PATCH', `/projects/${second.id}`, { data: { givenId } })).toMatchObject(again)
  expect(await client.ask('PATCH', `/projects/${id}`, { data: { givenId } })).toMatchObject({ status: 200 })
})

test(
  'an invalid project is rejected',
  everyCase(
    [
      ['no name', { givenId: 'a' }],
      ['an empty name', { givenId: 'a', name: '' }],
      ['a long name', { givenId: 'a', name: 'x'.repeat(201) }],
      ['a long description', { givenId: 'a', name: 'A', description: 'x'.repeat(10_001) }],
      ['capitals in givenId', { givenId: 'Shop', name: 'A' }],
      ['a hyphen at the end of givenId', { givenId: 'shop-', name: 'A' }],
      ['a givenId of 64 characters', { givenId: 'x'.repeat(64), name: 'A' }],
      ['an unknown field', { givenId: 'a', name: 'A', organizationId: 'org_1' }],
    ],
    async (_, data) => {
      const answer = await client.ask('POST', '/projects', { data })
      expect(answer).toMatchObject({ status: 400, body: { code: apiErrors.requestInvalid.code } })
    },
  ),
)

test('an update changes only the given fields', async () => {
  const before = await create({ description: 'old' })
  const path = `/projects/${before.id}`
  const renamed = await client.done<Record>('PATCH', path, { data: { name: 'New' } })
  expect(renamed).toEqual({ ...before, name: 'New', updatedAt: expect.any(String) })
  expect(Date.parse(renamed.updatedAt)).toBeGreaterThanOrEqual(Date.parse(before.updatedAt))
  expect(await client.done('PATCH', path, { data: {} })).toMatchObject({ name: 'New', description: 'old' })
  expect(await client.ask('PATCH', path, { data: { id: 'prj_x' } })).toMatchObject({ status: 400 })
  expect(await client.ask('PATCH', '/projects/prj_x', { data: {} })).toMatchObject({ status: 404 })
})

test('a project in use cannot be deleted, and the error lists its dependents', async () => {
  const { id } = await create()
  const environment = await client.done<Record>('POST', '/environments', {
    data: { projectId: id, givenId: 'production', name: 'P' },
  })
  const refused = await client.ask('DELETE', `/projects/${id}`)
  expect(refused).toMatchObject({
    status: 409,
    body: {
      code: apiErrors.projectInUse.code,
      details: [{ items: [`environment production (${environment.id})`] }],
    },
  })
  expect(await client.ask('DELETE', `/environments/${environment.id}`)).toMatchObject({ status: 204, body: undefined })
  expect(await client.ask('DELETE', `/projects/${id}`)).toMatchObject({ status: 204, body: undefined })
  expect(await client.ask('GET', `/projects/${id}`)).toMatchObject({ status: 404 })
  expect(await client.ask('DELETE', `/projects/${id}`)).toMatchObject({ status: 404 })
})

test('a project that is deleted while a record is added either keeps it or never had it', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { id: projectId } = await create()
    const [made, deleted] = await Promise.all([
      client.ask('POST', '/environments', { data: { projectId, givenId: 'a', name: 'A' } }),
      client.ask('DELETE', `/projects/${projectId}`),
    ])
    expect([
      [201, 409],
      [422, 204],
    ]).toContainEqual([made.status, deleted.status])
    const { status } = await client.ask('GET', `/projects/${projectId}`)
    expect(status).toBe(deleted.status === 204 ? 404 : 200)
  }
})

test('an error lists at most twenty dependents', async () => {
  const { id: projectId } = await create()
  const { organizationId } = owner
  const rows = Array.from({ length: 30 }, (_, index) => ({ id: `env_${projectId}_${index}`, givenId: `e${index}` }))
  await world.db.insert(environments).values(rows.map((row) => ({ ...row, name: 'E', projectId, organizationId })))
  const { body } = await client.ask('DELETE', `/projects/${projectId}`)
  expect((body as { details: { items: string[] }[] }).details[0]?.items).toHaveLength(20)
})

test('every change is in the audit log with its author', async () => {
  const { id } = await create()
  await client.done('PATCH', `/projects/${id}`, { data: { name: 'New' } })
  await client.ask('DELETE', `/projects/${id}`)
  await client.ask('PATCH', `/projects/${id}`, { data: { name: 'Too late' } })
  const events = await world.db.select().from(auditEvents).where(eq(auditEvents.resourceId, id)).orderBy(auditEvents.id)
  expect(events.map(({ action }) => action)).toEqual(['projects.create', 'projects.update', 'projects.delete'])
  expect(events[1]).toMatchObject({ actorId: owner.membershipId, resourceType: 'project', details: { name: 'New' } })
})

test('an environment belongs to a project, in which its givenId is unique', async () => {
  const [first, second] = [await create(), await create()]
  const made = (projectId: string) =>
    client.ask('POST', '/environments', { data: { projectId, givenId: 'test', name: 'T' } })
  const answer = await made(first.id)
  expect(answer).toMatchObject({
    status: 201,
    body: { data: { id: expect.stringMatching(/^env_/), projectId: first.id, givenId: 'test', name: 'T' } },
  })
  expect(await made(first.id)).toMatchObject({ status: 409, body: { code: apiErrors.environmentGivenIdTaken.code } })
  expect(await made(second.id)).toMatchObject({ status: 201 })
  const { data } = answer.body as { data: Record }
  expect(await client.done('GET', `/environments?projectId=${first.id}`)).toEqual([data])
  expect(await client.done('GET', `/environments/${data.id}`)).toEqual(data)
})

test('an environment requires an existing project of the organization', async () => {
  const foreign = new Client(world.url, (await seedOrganization(world.db)).key)
  const theirs = await foreign.done<Record>('POST', '/projects', { data: { givenId: 'a', name: 'A' } })
  for (const projectId of ['prj_nobody', theirs.id]) {
    const answer = await client.ask('POST', '/environments', { data: { projectId, givenId: 'test', name: 'T' } })
    expect(answer).toMatchObject({
      status: 422,
      body: { code: apiErrors.referenceNotFound.code, metadata: { field: 'projectId', id: projectId } },
    })
  }
})

test('an environment can be changed but not moved to another project', async () => {
  const { id: projectId } = await create()
  const given = { projectId, givenId: 'a', name: 'A' }
  const { id } = await client.done<Record>('POST', '/environments', { data: given })
  await client.done('POST', '/environments', { data: { ...given, givenId: 'b' } })
  const path = `/environments/${id}`
  expect(await client.done('PATCH', path, { data: { description: 'd' } })).toMatchObject({ ...given, description: 'd' })
  expect(await client.ask('PATCH', path, { data: { givenId: 'b' } })).toMatchObject({ status: 409 })
  expect(await client.ask('PATCH', path, { data: { projectId } })).toMatchObject({ status: 400 })
  expect(await client.ask('PATCH', '/environments/env_x', { data: {} })).toMatchObject({ status: 404 })
})

test('an environment with module instances cannot be deleted', async () => {
  const [instance] = await seedInstances(world.db, owner.organizationId, 1)
  const { environmentId, givenId } = await client.done<Record>('GET', `/module-instances/${instance}`)
  expect(await client.ask('DELETE', `/environments/${environmentId}`)).toMatchObject({
    status: 409,
    body: {
      code: apiErrors.environmentInUse.code,
      details: [{ items: [`module instance ${givenId} (${instance})`] }],
    },
  })
})

test('destroyed instances do not prevent the deletion of an environment, and are deleted with it', async () => {
  const [instance = ''] = await seedInstances(world.db, owner.organizationId, 1)
  const { environmentId, projectId } = await client.done<Record>('GET', `/module-instances/${instance}`)
  const place = { organizationId: owner.organizationId, projectId: String(projectId), moduleInstanceId: instance }
  await world.db
    .insert(deployments)
    .values({ ...finishedDeployment, ...place, id: newId('dep'), environmentId: String(environmentId) })
  await client.ask('DELETE', `/module-instances/${instance}`)
  expect(await client.done('GET', `/module-instances/${instance}`)).toMatchObject({ status: 'DESTROYED' })
  expect(await client.ask('DELETE', `/environments/${environmentId}`)).toMatchObject({ status: 204 })
  expect(await client.ask('GET', `/module-instances/${instance}`)).toMatchObject({ status: 404 })
})

test('deployments are deleted with their environment, unless they are active', async () => {
  const [moved = '', stayed = ''] = await seedInstances(world.db, owner.organizationId, 2)
  const { environmentId, projectId } = await client.done<Record>('GET', `/module-instances/${moved}`)
  const given = { projectId, givenId: 'other', name: 'Other' }
  const other = await client.done<Record>('POST', '/environments', { data: given })
  const place = { organizationId: owner.organizationId, projectId: String(projectId), moduleInstanceId: moved }
  const deploymentTo = async (environmentId: string, more: object) => {
    const id = newId('dep')
    await world.db.insert(deployments).values({ ...finishedDeployment, ...place, id, environmentId, ...more })
    return id
  }
  const elsewhere = await deploymentTo(other.id, {})
  await deploymentTo(String(environmentId), {})
  const waits = { wakeAt: new Date(), deadlineAt: new Date(), waitingFor: 'a test' }
  const running = await deploymentTo(String(environmentId), { status: 'IN_PROGRESS', ...waits })
  await client.done('PATCH', `/module-instances/${moved}`, { data: { environmentId: other.id, input: {} } })
  await client.ask('DELETE', `/module-instances/${stayed}`)

  expect(await client.ask('DELETE', `/environments/${environmentId}`)).toMatchObject({
    status: 409,
    body: { details: [{ items: [`deployment ${running}`] }] },
  })
  await world.db
    .update(deployments)
    .set({ ...finishedDeployment, wakeAt: null, deadlineAt: null, waitingFor: null })
    .where(eq(deployments.id, running))
  expect(await client.ask('DELETE', `/environments/${environmentId}`)).toMatchObject({ status: 204 })
  const kept = await world.db.select().from(deployments).where(eq(deployments.moduleInstanceId, moved))
  expect(kept.map(({ id }) => id)).toEqual([elsewhere])
})
