import type { DeploymentResource, DeploymentResources } from '@sluice/contract'
import { beforeAll, expect, test } from 'vitest'
import { eq } from '../../platform/db/drizzle.ts'
import { eventually } from '../../testing/eventually.ts'
import { testFunction } from '../../testing/functions.ts'
import { createGroup, untilReachable } from '../../testing/machine-group.ts'
import { createTestSite } from '../../testing/static-site.ts'
import { blueGreen, pausing } from '../../testing/strategies.ts'
import { sharedWorld, type TestOrganization, type World } from '../../testing/world.ts'
import { deploymentResources } from './tables.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})

async function resourcesOf(org: TestOrganization, id: string): Promise<DeploymentResources> {
  const { status, body } = await org.client.ask('GET', `/deployments/${id}/resources`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body as DeploymentResources
}

/** Waits until the resources of a finished deployment are stored, and returns them. */
const atEnd = (org: TestOrganization, id: string) =>
  eventually(
    'what it left behind',
    () => resourcesOf(org, id),
    ({ meta }) => !meta.isLive,
  )

const ofKind = ({ data }: DeploymentResources, kind: DeploymentResource['kind']) =>
  data.filter((one) => one.kind === kind)

test('a service release returns its tasks while it is paused, and the stored ones after its end', async () => {
  const org = await world.organization()
  const { moduleInstanceId, serviceArn } = await org.service(pausing(blueGreen, ['POST_TEST_TRAFFIC_SHIFT']))
  const { id } = await org.deploy(moduleInstanceId)
  await org.untilPaused(id)

  const paused = await resourcesOf(org, id)
  expect(paused.meta).toMatchObject({
    deploymentId: id,
    isLive: true,
    isComplete: true,
    observedAt: expect.any(String),
  })
  expect(ofKind(paused, 'SERVICE')).toMatchObject([{ id: serviceArn, status: 'ACTIVE', desiredCount: 2 }])
  expect(ofKind(paused, 'TASK_DEFINITION')).toMatchObject([
    { release: 'NEW', version: '2' },
    { release: 'PREVIOUS', version: '1' },
  ])
  const tasks = ofKind(paused, 'TASK')
  expect(tasks.map(({ release, version }) => `${release} ${version}`).sort()).toEqual(
    ['NEW 2', 'NEW 2', 'PREVIOUS 1', 'PREVIOUS 1'], // both versions run concurrently
  )
  for (const task of tasks) {
    expect(task).toMatchObject({ status: 'RUNNING', address: expect.any(String), since: expect.any(String) })
    expect(task.id).toMatch(/^arn:.*:task\//)
  }
  expect(ofKind(paused, 'TARGET_GROUP').map(({ targetCount }) => targetCount)).toEqual([2, 2])

  await org.continueToEnd(id)
  const ended = await atEnd(org, id)
  expect(ended.meta).toMatchObject({ isLive: false, isComplete: true })
  expect(ofKind(ended, 'TASK').filter(({ release }) => release === 'NEW')).toHaveLength(2)

  const { id: next } = await org.deploy(moduleInstanceId, 'shop/app:3')
  await org.continueToEnd(next)
  expect(await resourcesOf(org, id)).toEqual(ended)
})

test('releases of functions, groups and sites return their resources', async () => {
  const org = await world.organization()
  const fn = await testFunction(org)
  const group = await createGroup(world, org, { size: 2 })
  const site = await createTestSite(world, org, { active: 'r/1', paths: ['/*'] })
  await untilReachable(org, group, 2)
  const [released, rolledOut, served] = [
    await fn.deploy(),
    await org.deploy(group.moduleInstanceId),
    await site.deploy('r/2'),
  ]
  for (const { id } of [released, rolledOut, served]) await org.untilStatus(id, 'SUCCESS')

  const ofFunction = await atEnd(org, released.id)
  expect(ofKind(ofFunction, 'FUNCTION_ALIAS')).toMatchObject([{ name: 'live', version: '2' }])
  expect(ofKind(ofFunction, 'FUNCTION_VERSION')).toMatchObject([
    { name: '2', release: 'NEW', trafficPercent: 100 },
    { name: '1', release: 'PREVIOUS', trafficPercent: 0 },
  ])

  const ofGroup = await atEnd(org, rolledOut.id)
  expect(ofKind(ofGroup, 'MACHINE_GROUP')).toMatchObject([{ name: group.name }])
  expect(ofKind(ofGroup, 'MACHINE')).toMatchObject([
    { status: 'InService', command: { status: 'SUCCESS' } },
    { status: 'InService', command: { status: 'SUCCESS' } },
  ])

  const ofSite = await atEnd(org, served.id)
  expect(ofKind(ofSite, 'DIRECTORY')).toMatchObject([
    { name: 'r/2', release: 'NEW', status: 'Served', objectCount: 2 },
    { name: 'r/1', release: 'PREVIOUS', status: 'Not served' },
  ])
  expect(ofKind(ofSite, 'DISTRIBUTION')).toMatchObject([{ status: 'Deployed', address: expect.any(String) }])
  expect(ofKind(ofSite, 'INVALIDATION')).toMatchObject([{ status: 'Completed' }])
})

test("if the cloud cannot be read at the end, the error and the deployment's own data are returned", async () => {
  const org = await world.organization()
  const { moduleInstanceId } = await org.service()
  await org.deny('ecs:ListTasks')
  const { id } = await org.deploy(moduleInstanceId)
  await org.untilStatus(id, 'SUCCESS')
  const ended = await atEnd(org, id)
  expect(ended.meta).toMatchObject({
    isComplete: false,
    error: { code: 'Sluice:DeploymentResources:NOT_SHOWN', message: expect.stringContaining('ecs:ListTasks') },
  })
  expect(ended.data.map(({ kind }) => kind)).toEqual(['SERVICE', 'TASK_DEFINITION', 'TASK_DEFINITION'])
})

test('a deployment that never started has no resources, and reads nothing from the cloud', async () => {
  const org = await world.organization({ delivery: false })
  const { moduleInstanceId } = await org.service(pausing(blueGreen, ['PRE_SCALE_UP']))
  const { id: first } = await org.deploy(moduleInstanceId)
  await org.untilPaused(first)
  const { id } = await org.deploy(moduleInstanceId, 'shop/app:3')
  expect(await resourcesOf(org, id)).toMatchObject({ data: [], meta: { isLive: true, isComplete: true } })
  await org.cancel(id)
  expect(await resourcesOf(org, id)).toMatchObject({ data: [], meta: { isLive: false, isComplete: true } })
  expect(await world.db.select().from(deploymentResources).where(eq(deploymentResources.deploymentId, id))).toEqual([])
  await org.cancel(first)
})

test('concurrent viewers share one read of the cloud, and another organization sees nothing', async () => {
  const org = await world.organization({ delivery: false })
  const { moduleInstanceId } = await org.service(pausing(blueGreen, ['PRE_SCALE_UP']))
  const { id } = await org.deploy(moduleInstanceId)
  await org.untilPaused(id)
  const before = (await org.calls('ListTasks')).length
  const seen = await Promise.all(Array.from({ length: 20 }, () => resourcesOf(org, id)))
  expect(new Set(seen.map(({ meta }) => meta.observedAt)).size).toBe(1)
  const calls = (await org.calls('ListTasks')).length - before
  expect(calls, 'one for running and one for stopped tasks').toBeGreaterThanOrEqual(2)
  expect(calls, 'the SDK repeats a call that is not answered within 10 s, at most twice').toBeLessThanOrEqual(6)
  const stranger = await world.organization({ delivery: false })
  expect((await stranger.client.ask('GET', `/deployments/${id}/resources`)).status).toBe(404)
  await org.cancel(id)
})
