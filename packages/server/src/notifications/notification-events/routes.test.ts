import { type NotificationEventPage, notificationTypes } from '@sluice/contract'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { deployments } from '../../delivery/deployments/store/tables.ts'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { firstIdAt, newId } from '../../platform/ids.ts'
import { projects } from '../../projects/projects/tables.ts'
import { Client } from '../../testing/client.ts'
import { seedInstances, seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { addMember } from '../../testing/members.ts'
import { finishedDeployment } from '../../testing/resources.ts'
import { findPosition, lockPosition, startProcessing } from '../notification-channels/store.ts'
import type { Event } from '../notification-deliveries/machine.ts'
import { deleteOldNotificationEvents, insertEvents, listEvents } from './store.ts'
import { notificationEvents } from './tables.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
beforeAll(async () => {
  world = await startHttpWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

const event = (organizationId: string, id: string, more: Partial<Event> = {}): Event => ({
  id,
  recordId: id,
  projectId: null,
  environmentId: null,
  payload: {
    type: 'certificate.unusable',
    timestamp: '2026-11-26T10:00:00.000Z',
    data: {
      organizationId,
      certificateId: id,
      url: 'https://sluice.example.com/console',
      status: 'FAILED',
      cloudAccount: { id, name: 'Main' },
      names: ['shop.example.com'],
    },
  },
  ...more,
})

const add = (organizationId: string, ...ids: string[]) =>
  insertEvents(
    world.db,
    organizationId,
    ids.map((id) => event(organizationId, id)),
  )

async function organization() {
  const { organizationId, key } = await seedOrganization(world.db)
  const client = new Client(world.url, key)
  await page(client)
  return { organizationId, client }
}

async function page(client: Client, query = '') {
  const { status, body } = await client.ask('GET', `/notification-events${query}`)
  expect(status).toBe(200)
  const { data, meta } = body as NotificationEventPage
  return { ids: data.map(({ eventId }) => eventId), meta }
}

test('events are read from a position, paged and each once', async () => {
  const [{ organizationId, client }, other] = [await organization(), await organization()]
  const begin = await page(client)
  expect(begin).toEqual({ ids: [], meta: { position: '0', hasMore: false } })
  await add(organizationId, 'one', 'two', 'three')
  await add(organizationId, 'two')
  const first = await page(client, `?after=${begin.meta.position}&limit=2`)
  expect(first).toMatchObject({ ids: ['one', 'two'], meta: { hasMore: true } })
  const second = await page(client, `?after=${first.meta.position}&limit=2`)
  expect(second).toMatchObject({ ids: ['three'], meta: { hasMore: false } })
  expect((await page(client, `?after=${second.meta.position}`)).ids).toEqual([])
  expect((await page(other.client)).ids).toEqual([])
})

test('the latest events of a project are read backwards, paged', async () => {
  const { organizationId, client } = await organization()
  const [projectId, otherId] = [newId('prj'), newId('prj')]
  for (const [id, name] of [
    [projectId, 'Shop'],
    [otherId, 'Blog'],
  ] as const)
    await world.db.insert(projects).values({ id, organizationId, name, givenId: name.toLowerCase() })
  const inProject = (id: string, of: string) => event(organizationId, id, { projectId: of })
  await insertEvents(world.db, organizationId, [
    ...[inProject('one', projectId), inProject('elsewhere', otherId), event(organizationId, 'nowhere')],
    ...[inProject('two', projectId), inProject('three', projectId)],
  ])
  const wanted = `?projectId=${projectId}&order=NEWEST_FIRST&limit=2`
  const first = await page(client, wanted)
  expect(first).toMatchObject({ ids: ['three', 'two'], meta: { hasMore: true } })
  const second = await page(client, `${wanted}&before=${first.meta.position}`)
  expect(second).toMatchObject({ ids: ['one'], meta: { hasMore: false } })
  expect((await page(client, `${wanted}&before=${second.meta.position}`)).ids).toEqual([])
  // Both bounds apply in both orders.
  const between = `?after=${second.meta.position}&before=${first.meta.position}`
  expect((await page(client, between)).ids).toEqual(['elsewhere', 'nowhere'])
  expect((await page(client, `${between}&order=NEWEST_FIRST`)).ids).toEqual(['nowhere', 'elsewhere'])
})

test('a reader of some types continues after the others', async () => {
  const { organizationId, client } = await organization()
  await add(organizationId, 'one', 'two')
  const { meta } = await page(client)
  expect(await page(client, '?types=stack.drifted')).toEqual({ ids: [], meta })
  expect((await page(client, '?types=stack.drifted&types=certificate.unusable')).ids).toEqual(['one', 'two'])
})

test('a member reads events where they have access', async () => {
  const { organizationId, client } = await organization()
  const member = new Client(world.url, await addMember(world.db, organizationId, 'DEVELOPER'))
  const projectId = newId('prj')
  await world.db.insert(projects).values({ id: projectId, organizationId, name: 'Shop', givenId: 'shop' })
  await insertEvents(world.db, organizationId, [
    event(organizationId, 'hidden', { projectId }),
    event(organizationId, 'shown'),
  ])
  expect((await page(member)).ids).toEqual(['hidden', 'shown'])
  await client.done('PATCH', `/projects/${projectId}`, { data: { visibility: 'MEMBERS' } })
  expect((await page(member)).ids).toEqual(['shown'])
  expect((await page(client)).ids).toEqual(['hidden', 'shown'])
})

test('events are retained for 30 days, and a reader who missed expired events gets an error', async () => {
  const { organizationId, client } = await organization()
  await add(organizationId, 'old', 'young')
  const { meta } = await page(client, '?limit=1')
  const old = firstIdAt('nev', new Date(Date.now() - 30 * 86_400_000 - 60_000))
  await world.db.update(notificationEvents).set({ id: old }).where(eq(notificationEvents.eventId, 'old'))
  await deleteOldNotificationEvents(world.db, new Date())
  expect(await client.ask('GET', '/notification-events?after=0')).toMatchObject({
    status: 422,
    body: { code: 'Sluice:NotificationEvents:POSITION_EXPIRED', message: expect.stringContaining(meta.position) },
  })
  expect((await page(client, `?after=${meta.position}`)).ids).toEqual(['young'])
  expect((await page(client)).ids).toEqual(['young'])
})

test('events of concurrent transactions are numbered after the visible ones', async ({ skip }) => {
  skip(process.env.TEST_DATABASE_URL === undefined, 'skipped: PostgreSQL (the embedded database has one connection)')
  const { organizationId } = await organization()
  const standing = await findPosition(world.db, organizationId)
  if (!standing) throw new Error('nobody has asked')
  const [mayEnd, hasAdded] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  onTestFinished(() => mayEnd.resolve())
  const slow = world.db.transaction(async (tx) => {
    expect(await lockPosition(tx, standing)).toBeDefined()
    await insertEvents(tx, organizationId, [event(organizationId, 'slow')])
    hasAdded.resolve()
    await mayEnd.promise
  })
  await hasAdded.promise
  const isTaken = () => world.db.transaction(async (tx) => (await lockPosition(tx, standing)) === undefined)
  expect(await isTaken()).toBe(true)
  mayEnd.resolve()
  await slow
  expect(await isTaken()).toBe(false)
  await add(organizationId, 'quick')
  const wanted = { after: 0, types: notificationTypes, limit: 10 }
  expect((await listEvents(world.db, organizationId, wanted)).map(({ eventId }) => eventId)).toEqual(['slow', 'quick'])
})

/** Inserts an ended deployment of an instance with this name. */
async function insertFinished(
  organizationId: string,
  { instanceId, name, minutesAgo }: { instanceId: string; name: string; minutesAgo: number },
): Promise<string> {
  const isIt = eq(moduleInstances.id, instanceId)
  const [instance] = await world.db.update(moduleInstances).set({ name }).where(isIt).returning()
  if (!instance) throw new Error(`There is no ${instanceId}.`)
  const { projectId, environmentId } = instance
  const id = newId('dep')
  await world.db.insert(deployments).values({
    id,
    organizationId,
    projectId,
    environmentId,
    moduleInstanceId: instanceId,
    ...finishedDeployment,
    data: { ...finishedDeployment.data, triggeredBy: `Owner of ${name}` },
    completedAt: new Date(Date.now() - minutesAgo * 60_000),
  })
  return id
}

test('the first reader gets past events, filtered by environment, service and actor', async () => {
  const { organizationId, key } = await seedOrganization(world.db)
  const [first = '', second = ''] = await seedInstances(world.db, organizationId, 2)
  const web = await insertFinished(organizationId, { instanceId: first, name: 'Web shop', minutesAgo: 2 })
  const jobs = await insertFinished(organizationId, { instanceId: second, name: 'Jobs', minutesAgo: 5 })
  const [row] = await world.db.select().from(deployments).where(eq(deployments.id, web))
  const client = new Client(world.url, key)
  const recordsOf = async (query = '') => {
    const { body } = await client.ask('GET', `/notification-events?types=deployment.succeeded${query}`)
    return (body as NotificationEventPage).data.map(({ recordId }) => recordId)
  }
  expect(await recordsOf(), 'releases that ended before anyone asked, in the order of their ends').toEqual([jobs, web])
  expect(await recordsOf(`&environmentId=${row?.environmentId}`)).toHaveLength(2)
  expect(await recordsOf('&environmentId=env_none')).toEqual([])
  expect(await recordsOf('&service=SHOP')).toEqual([web])
  expect(await recordsOf('&triggeredBy=of%20jobs')).toEqual([jobs])
  expect(await recordsOf('&service=shop&triggeredBy=jobs')).toEqual([])
})

test('reading events starts their recording', async () => {
  const { organizationId, key } = await seedOrganization(world.db)
  await startProcessing(world.db, organizationId)
  expect(await findPosition(world.db, organizationId)).toMatchObject({ isAskedFor: false })
  await page(new Client(world.url, key))
  expect(await findPosition(world.db, organizationId)).toMatchObject({ isAskedFor: true })
})
