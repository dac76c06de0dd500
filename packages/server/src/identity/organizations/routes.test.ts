import { type AuditEvent, apiErrors, type Organization, type OwnOrganization } from '@sluice/contract'
import { expect, test } from 'vitest'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { pipelineRuns } from '../../pipelines/pipelines/tables.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { newId } from '../../platform/ids.ts'
import { Client } from '../../testing/client.ts'
import { seedInstances, seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { addMember, addServiceAccount } from '../../testing/members.ts'
import { createOneOfEverything } from '../../testing/resources.ts'
import { signIn } from '../../testing/session.ts'
import { auditEvents } from '../audit-events/tables.ts'
import { memberships } from './tables.ts'

test('members can read the organization, its owner can rename it, and other organizations are not visible', async () => {
  await using world = await startHttpWorld()
  const [owner, other] = [await seedOrganization(world.db), await seedOrganization(world.db)]
  const client = new Client(world.url, owner.key)
  const path = `/organizations/${owner.organizationId}`
  const organization = await client.done<Organization>('GET', path)
  expect(organization).toEqual({
    id: owner.organizationId,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    givenId: owner.organizationId,
    name: 'Acme',
  })
  expect(await client.done('PATCH', path, { data: {} })).toMatchObject({ name: 'Acme' })
  expect(await client.done('PATCH', path, { data: { name: 'Apex' } })).toMatchObject({ name: 'Apex' })
  expect(await client.done('GET', '/auth/whoami')).toMatchObject({ organizationName: 'Apex' })
  expect((await client.ask('PATCH', path, { data: { name: '' } })).status).toBe(400)
  expect((await client.ask('PATCH', path, { data: { givenId: 'apex' } })).status).toBe(400)

  const foreign = { status: 404, body: { code: apiErrors.organizationNotFound.code } }
  expect(await client.ask('GET', `/organizations/${other.organizationId}`)).toMatchObject(foreign)
  const rename = { data: { name: 'Mine' } }
  expect(await client.ask('PATCH', `/organizations/${other.organizationId}`, rename)).toMatchObject(foreign)
})

test('a signed-in user sees all their organizations; a key sees only its own', async () => {
  await using world = await startHttpWorld()
  const [first, second, strange] = await Promise.all([0, 1, 2].map(() => seedOrganization(world.db)))
  if (!first || !second || !strange) throw new Error('three were made')
  const membershipId = newId('mem')
  const { organizationId } = second
  await world.db.insert(memberships).values({ id: membershipId, organizationId, userId: first.userId, role: 'VIEWER' })
  const listed = async (headers: Record<string, string>) => {
    const { body } = await world.ask('/organizations', { headers })
    return (body.data as OwnOrganization[]).map(({ id, role, isCurrent }) => ({ id, role, isCurrent }))
  }
  const current = { id: first.organizationId, role: 'OWNER', isCurrent: true }
  const other = { id: organizationId, role: 'VIEWER', isCurrent: false }
  const both = await listed({ cookie: await signIn(world.db, first) })
  expect(both).toHaveLength(2)
  expect(both).toEqual(expect.arrayContaining([current, other]))
  expect(await listed({ authorization: `Bearer ${first.key}` })).toEqual([current])
  const account = await addServiceAccount(world.db, first.organizationId, 'VIEWER')
  expect(await listed({ authorization: `Bearer ${account}` })).toEqual([{ ...current, role: 'VIEWER' }])
})

test('a user who creates an organization owns it, idempotently, and no other organization sees it', async () => {
  await using world = await startHttpWorld(undefined, { registration: 'open' })
  const { organizationId, userId, key } = await seedOrganization(world.db)
  const client = new Client(world.url, key)
  const json = JSON.stringify({ data: { name: 'Side Project' } })
  const ask = () => client.send('POST', '/organizations', { json, headers: { 'idempotency-key': 'one' } })
  const [made, again] = [await ask(), await ask()]
  expect([made.status, again.body]).toEqual([201, made.body])
  const { id, givenId } = (made.body as { data: Organization }).data
  expect(givenId).toMatch(/^side-project/)
  const owners = await world.db.select().from(memberships).where(eq(memberships.organizationId, id))
  expect(owners).toMatchObject([{ userId, role: 'OWNER' }])
  expect(await client.done('GET', '/audit-events')).toEqual([])
  const lines = await world.db.select().from(auditEvents).where(eq(auditEvents.organizationId, id))
  expect(lines).toMatchObject([{ action: 'organizations.create', actorId: owners[0]?.id }])
  expect(await client.done('GET', `/organizations/${organizationId}`)).toMatchObject({ id: organizationId })

  const account = new Client(world.url, await addServiceAccount(world.db, organizationId, 'OWNER'))
  const refused = await account.ask('POST', '/organizations', { data: { name: 'Mine' } })
  expect(refused).toMatchObject({ status: 404, body: { code: apiErrors.userNotFound.code } })
})

test('if registration is closed, only superadmins create organizations', async () => {
  await using world = await startHttpWorld()
  const ask = async (globalRole: 'USER' | 'SUPERADMIN') => {
    const { key } = await seedOrganization(world.db, { globalRole })
    return (await new Client(world.url, key).ask('POST', '/organizations', { data: { name: 'More' } })).status
  }
  expect([await ask('USER'), await ask('SUPERADMIN')]).toEqual([403, 201])
})

test('a deletion is confirmed by name and can be cancelled, and nothing can be changed in between', async () => {
  let now = new Date()
  await using world = await startHttpWorld(undefined, { clock: () => now })
  const { organizationId, key } = await seedOrganization(world.db)
  const owner = new Client(world.url, key)
  const admin = new Client(world.url, await addMember(world.db, organizationId, 'ADMIN'))
  const path = `/organizations/${organizationId}/deletion`
  const refused = (status: number, apiError: keyof typeof apiErrors) => ({
    status,
    body: { code: apiErrors[apiError].code },
  })
  const named = { data: { name: 'Acme' } }
  expect(await admin.ask('POST', path, named)).toMatchObject(refused(403, 'forbidden'))
  expect(await owner.ask('POST', path, { data: { name: 'acme' } })).toMatchObject(refused(422, 'organizationNameWrong'))
  expect(await owner.ask('DELETE', path)).toMatchObject(refused(409, 'organizationStays'))

  const dueAt = new Date(now.getTime() + 7 * 86_400_000).toISOString()
  const deletion = { requestedAt: now.toISOString(), requestedBy: expect.any(String), dueAt }
  expect(await owner.done('POST', path, named)).toMatchObject({ deletion })
  expect(await admin.done('GET', `/organizations/${organizationId}`)).toMatchObject({ deletion })
  const project = { data: { name: 'New', givenId: 'new' } }
  expect(await admin.ask('POST', '/projects', project)).toMatchObject(refused(409, 'organizationEnding'))
  expect(await owner.ask('POST', path, named)).toMatchObject(refused(409, 'organizationEnding'))
  expect(await admin.ask('DELETE', path)).toMatchObject(refused(403, 'forbidden'))

  expect((await owner.ask('DELETE', path)).status).toBe(204)
  expect(await owner.done('GET', `/organizations/${organizationId}`)).not.toHaveProperty('deletion')
  expect((await admin.ask('POST', '/projects', project)).status).toBe(201)
  const lines = await owner.done<AuditEvent[]>('GET', '/audit-events')
  expect(lines.map(({ action }) => action)).toEqual(
    expect.arrayContaining(['organizations.delete', 'organizations.keep']),
  )

  await owner.done('POST', path, named)
  now = new Date(now.getTime() + 8 * 86_400_000)
  expect(await owner.ask('DELETE', path)).toMatchObject(refused(409, 'organizationStays'))
})

test('work in progress and resources that others use block the deletion of an organization', async () => {
  await using world = await startHttpWorld()
  const [{ organizationId, key }, other] = [await seedOrganization(world.db), await seedOrganization(world.db)]
  const everything = await createOneOfEverything(world.db, { organizationId })
  const pipelineRunId = everything.byPath['pipeline-runs'] ?? ''
  const {
    id: _,
    status: __,
    ...run
  } = (await world.db.select().from(pipelineRuns).where(eq(pipelineRuns.id, pipelineRunId)))[0] ?? {
    id: '',
    status: '',
  }
  const running = newId('run')
  const [wakeAt, deadlineAt] = [new Date(Date.now() + 60_000), new Date(Date.now() + 60_000)]
  const waiting = { wakeAt, deadlineAt, waitingFor: 'a test' }
  await world.db.insert(pipelineRuns).values({ ...run, id: running, status: 'QUEUED', ...waiting } as never)
  const owner = new Client(world.url, key)
  const ask = async () => {
    const { status, body } = await owner.ask('POST', `/organizations/${organizationId}/deletion`, {
      data: { name: 'Acme' },
    })
    const { details = [] } = body as { details?: { items?: string[] }[] }
    return { status, items: details[0]?.items }
  }
  expect(await ask()).toEqual({ status: 409, items: [`pipeline run ${running}`] })
  await world.db.delete(pipelineRuns).where(eq(pipelineRuns.id, running))

  const [instanceId = ''] = await seedInstances(world.db, other.organizationId, 1)
  const moduleDefinitionId = everything.byPath['module-definitions'] ?? ''
  await world.db.update(moduleInstances).set({ moduleDefinitionId }).where(eq(moduleInstances.id, instanceId))
  expect(await ask()).toEqual({ status: 409, items: [expect.stringContaining(moduleDefinitionId)] })
  await world.db.delete(moduleInstances).where(eq(moduleInstances.id, instanceId))
  expect(await ask()).toMatchObject({ status: 200 })
})
