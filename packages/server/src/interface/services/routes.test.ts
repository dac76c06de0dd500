import type { Hold, Service, ServiceInEnvironment } from '@sluice/contract'
import { beforeAll, expect, test } from 'vitest'
import { iacResources } from '../../infrastructure/iac-resources/tables.ts'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { createOneOfEverything } from '../../testing/resources.ts'
import { blueGreen, pausing } from '../../testing/strategies.ts'
import { sharedWorld, type TestOrganization, type World } from '../../testing/world.ts'

let world: World
let org: TestOrganization
beforeAll(async () => {
  world = await sharedWorld()
  org = await world.organization()
})

type Answer = { data: Service[]; meta: { nextCursor: string; totalCount: number } }

async function projectOf({ client }: TestOrganization): Promise<string> {
  const projects = await client.done<{ id: string; givenId: string }[]>('GET', '/projects')
  return projects.find(({ givenId }) => givenId === 'shop')?.id ?? ''
}

async function list(query: Record<string, string> = {}, of = org): Promise<Answer> {
  const search = new URLSearchParams({ projectId: await projectOf(of), limit: '100', ...query })
  const { status, body } = await of.client.ask('GET', `/services?${search}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body as Answer
}

async function statesOf(of: TestOrganization, ids: readonly string[]): Promise<ServiceInEnvironment[]> {
  const search = new URLSearchParams(ids.map((id): [string, string] => ['ids', id]))
  return of.client.done<ServiceInEnvironment[]>('GET', `/service-states?${search}`)
}

async function placeOf(moduleInstanceId: string): Promise<ServiceInEnvironment> {
  const places = (await list()).data.flatMap((service) => service.places)
  const place = places.find((one) => one.moduleInstanceId === moduleInstanceId)
  if (!place) throw new Error(`${moduleInstanceId} is not among the services`)
  return place
}

test('a service has its running and active deployments and their state', async () => {
  const { moduleInstanceId } = await org.service(pausing(blueGreen, ['PRE_PRODUCTION_TRAFFIC_SHIFT']))
  expect(await placeOf(moduleInstanceId)).toMatchObject({ states: ['NOT_RELEASED'], driftedResources: 0 })

  const first = await org.deploy(moduleInstanceId, 'shop/app:2.0.0')
  await org.untilPaused(first.id)
  const paused = await placeOf(moduleInstanceId)
  expect(paused.states).toEqual(['PAUSED', 'IN_PROGRESS', 'NOT_RELEASED'])
  expect(paused.inProgress).toMatchObject({
    deploymentId: first.id,
    version: '2.0.0',
    by: expect.stringMatching(/^owner@/),
    status: 'IN_PROGRESS',
    isPaused: true,
    stepCode: 'PAUSED',
    newTrafficPercent: 0,
    previousVersion: '1',
    hasRunningChecks: false,
    pausedUntil: expect.stringMatching(/Z$/),
    waiting: 0,
  })
  const second = await org.deploy(moduleInstanceId, 'shop/app:2.1.0')
  expect((await placeOf(moduleInstanceId)).inProgress).toMatchObject({ deploymentId: first.id, waiting: 1 })
  await org.cancel(second.id)
  expect(await statesOf(org, [moduleInstanceId, 'mi_none'])).toEqual([await placeOf(moduleInstanceId)])

  const done = await org.continueToEnd(first.id)
  const live = await placeOf(moduleInstanceId)
  expect(live).toMatchObject({ states: ['STEADY'], status: expect.any(String) })
  expect(live.running).toMatchObject({
    deploymentId: first.id,
    version: '2.0.0',
    since: done.completedAt,
    by: expect.stringMatching(/^owner@/),
    isRollback: false,
  })
  expect(live.inProgress).toBe(undefined)
})

test('a failed release is returned in addition to the running one, until a success', async () => {
  const { moduleInstanceId } = await org.service()
  const good = await org.deploy(moduleInstanceId, 'shop/app:1.0.0')
  await org.untilStatus(good.id, 'SUCCESS')
  await org.deny('ecs:UpdateService')
  const bad = await org.deploy(moduleInstanceId, 'shop/app:1.1.0')
  await org.untilStatus(bad.id, 'ERROR')
  await org.deny()
  const place = await placeOf(moduleInstanceId)
  expect(place.states).toEqual(['FAILED'])
  expect(place.running).toMatchObject({ deploymentId: good.id, version: '1.0.0' })
  expect(place.failed).toMatchObject({ deploymentId: bad.id, version: '1.1.0', status: 'ERROR' })
  expect(place.failed?.message).toMatch(/\S/)

  const back = await org.rollback(bad.id)
  await org.untilStatus(back.id, 'SUCCESS')
  const mended = await placeOf(moduleInstanceId)
  expect(mended.states).toEqual(['STEADY'])
  expect(mended.running).toMatchObject({ deploymentId: back.id, version: '1.0.0', isRollback: true })
})

test('drifted resources are counted once each, as long as they exist', async () => {
  const { moduleInstanceId } = await org.service()
  const { byPath, organizationId } = await createOneOfEverything(world.db, { organizationId: org.id })
  const stackId = byPath.stacks ?? ''
  await world.db.update(moduleInstances).set({ stackId }).where(eq(moduleInstances.id, moduleInstanceId))
  const drifted = { driftStatus: 'DRIFTED', isInCurrentState: true } as const
  await world.db
    .update(iacResources)
    .set({ ...drifted, stackId })
    .where(eq(iacResources.organizationId, organizationId))
  expect(await placeOf(moduleInstanceId)).toMatchObject({ driftedResources: 1 })
  expect((await placeOf(moduleInstanceId)).states).toContain('DRIFTED')
  await world.db
    .update(iacResources)
    .set({ isInCurrentState: false })
    .where(eq(iacResources.organizationId, organizationId))
  expect(await placeOf(moduleInstanceId)).toMatchObject({ driftedResources: 0 })
})

test('an instance has its oldest hold, and can be found by that state', async () => {
  const { moduleInstanceId } = await org.service()
  const held = async () => (await list({ state: 'HELD' })).data.flatMap(({ places }) => places)
  const hold = (what: object) =>
    org.client.done<Hold>('POST', '/holds', { data: { reason: 'Prices are wrong.', ...what } })
  const letGo = ({ id }: Hold) => org.client.done('POST', `/holds/${id}/lift`, { data: { reason: 'It is well.' } })
  expect(await held()).toEqual([])
  const ofOne = await hold({ moduleInstanceId })
  const { id: holdId, createdAt: since, heldBy: by } = ofOne
  const place = { states: ['HELD', 'NOT_RELEASED'], hold: { holdId, since, by, reason: 'Prices are wrong.' } }
  expect(await held()).toMatchObject([{ moduleInstanceId, ...place }])
  const ofAll = await hold({ environmentId: ofOne.environmentId })
  expect(await placeOf(moduleInstanceId)).toMatchObject(place)
  const all = (await list()).data.flatMap(({ places }) => places)
  expect(all.filter(({ hold }) => hold?.holdId === ofAll.id)).toHaveLength(all.length - 1)
  await letGo(ofOne)
  expect(await placeOf(moduleInstanceId)).toMatchObject({ hold: { holdId: ofAll.id } })
  await letGo(ofAll)
  expect(await placeOf(moduleInstanceId)).not.toHaveProperty('hold')
})

test('services with problems come first on the first page, and no page repeats one', async () => {
  const shop = await world.organization()
  const made: string[] = []
  for (const name of ['a', 'b', 'c']) made.push((await shop.service(null, { name })).moduleInstanceId)
  const isFailed = eq(moduleInstances.id, made[1] ?? '')
  await world.db.update(moduleInstances).set({ status: 'ERROR' }).where(isFailed)
  const first = await list({ sort: 'PROBLEMS', limit: '2' }, shop)
  expect(first.data.map(({ givenId }) => givenId)).toEqual(['b', 'a'])
  const next = await list({ sort: 'PROBLEMS', limit: '2', cursor: first.meta.nextCursor }, shop)
  expect(next.data.map(({ givenId }) => givenId)).toEqual(['c'])
})

test('services are paged by their ids, and a cursor is valid only for its filters', async () => {
  const shop = await world.organization()
  const made: string[] = []
  for (const name of ['c', 'a', 'b']) made.push((await shop.service(null, { name })).moduleInstanceId)
  const first = await list({ limit: '2' }, shop)
  expect(first.data.map(({ givenId }) => givenId)).toEqual(['a', 'b'])
  expect(first.meta.totalCount).toBe(3)
  const next = await list({ limit: '2', cursor: first.meta.nextCursor }, shop)
  expect(next.data.map(({ givenId }) => givenId)).toEqual(['c'])
  expect(next.meta.nextCursor).toBe('')
  const search = new URLSearchParams({
    projectId: await projectOf(shop),
    search: 'a',
    limit: '2',
    cursor: first.meta.nextCursor,
  })
  expect((await shop.client.ask('GET', `/services?${search}`)).status).toBe(400)
  expect((await list({ state: 'NOT_RELEASED', search: 'B' }, shop)).data.map(({ givenId }) => givenId)).toEqual(['b'])
  expect((await list({ releasedBy: 'Owner@' }, shop)).data).toEqual([])
  const done = await shop.deploy(made[0] ?? '')
  await shop.untilStatus(done.id, 'SUCCESS')
  expect((await list({ releasedBy: 'OWNER@' }, shop)).data.map(({ givenId }) => givenId)).toEqual(['c'])
})

test('services of another organization are not returned', async () => {
  const other = await world.organization()
  const { moduleInstanceId } = await other.service()
  expect(await statesOf(other, [moduleInstanceId])).toMatchObject([{ moduleInstanceId, states: ['NOT_RELEASED'] }])
  expect(await statesOf(org, [moduleInstanceId])).toEqual([])
  const projectId = await projectOf(other)
  expect((await list({ projectId })).data).toEqual([])
})
