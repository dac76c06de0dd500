import { StopTaskCommand } from '@aws-sdk/client-ecs'
import type { ModuleInstanceTasks, ServiceHealths } from '@sluice/contract'
import { beforeAll, expect, test } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { sharedWorld, type TestOrganization, type World } from '../../testing/world.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})

async function healthOf(org: TestOrganization, ids: readonly string[]): Promise<ServiceHealths> {
  const query = new URLSearchParams(ids.map((id): [string, string] => ['ids', id]))
  const { status, body } = await org.client.ask('GET', `/service-health?${query}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body as ServiceHealths
}

/** Returns the number of requests for several services; releases read one service at a time. */
const looksAtSeveral = async (org: TestOrganization) =>
  (await org.calls('DescribeServices')).filter(({ request }) => (request as { services: string[] }).services.length > 1)

/** Creates a service with one release. */
async function released(org: TestOrganization) {
  const { moduleInstanceId, input } = await org.service()
  await org.untilStatus((await org.deploy(moduleInstanceId)).id, 'SUCCESS')
  return { moduleInstanceId, input }
}

test('services return their number of running tasks, several with one request to the cloud', async () => {
  const org = await world.organization()
  const ids = [(await released(org)).moduleInstanceId, (await released(org)).moduleInstanceId]
  const { data, errors } = await healthOf(org, ids)
  expect(errors).toEqual([])
  expect(data.map(({ moduleInstanceId }) => moduleInstanceId).sort()).toEqual(ids.toSorted())
  for (const one of data) expect(one).toMatchObject({ runningTasks: 2, desiredTasks: 2 })
  await Promise.all(Array.from({ length: 20 }, () => healthOf(org, ids)))
  expect(await looksAtSeveral(org)).toHaveLength(1)
})

test('a terminated task is missing until it is replaced', async () => {
  const org = await world.organization()
  const { moduleInstanceId, input } = await released(org)
  const { body } = await org.client.ask('GET', `/module-instances/${moduleInstanceId}/tasks`)
  const task = (body as ModuleInstanceTasks).data.find(({ isStopped }) => !isStopped)
  await org.clients.ecs.send(new StopTaskCommand({ cluster: input.cluster_arn, task: task?.id }))
  const running = async () => (await healthOf(org, [moduleInstanceId])).data[0]?.runningTasks
  await eventually('two tasks again', running, (tasks) => tasks === 2, 30_000)
})

test('a service without a release by Sluice returns the version that the cloud runs', async () => {
  const org = await world.organization()
  const { moduleInstanceId } = await org.service()
  const health = async () => (await healthOf(org, [moduleInstanceId])).data
  const running = { moduleInstanceId, version: '1', runningTasks: 2, desiredTasks: 2 }
  await eventually('both tasks', health, ([one]) => one?.runningTasks === 2)
  expect(await health()).toMatchObject([running])
  await Promise.all(Array.from({ length: 20 }, health))
  const { length: calls } = await org.calls('DescribeTaskDefinition')
  expect(calls, 'the version is read once; the SDK repeats an unanswered call at most twice').toBeLessThanOrEqual(3)
  await org.untilStatus((await org.deploy(moduleInstanceId, 'shop/app:2.0.0')).id, 'SUCCESS')
  expect(await health(), 'afterwards, the release says so').not.toContainEqual(
    expect.objectContaining({ version: expect.anything() }),
  )
})

test('services of another organization are omitted', async () => {
  const [org, other] = [await world.organization(), await world.organization()]
  const [theirs, never] = [(await released(other)).moduleInstanceId, (await other.service()).moduleInstanceId]
  expect(await healthOf(org, [theirs, never, 'mi_none'])).toEqual({ data: [], errors: [] })
  expect((await org.client.ask('GET', '/service-health')).status).toBe(400)
})

test('an error of the cloud is returned once, with its message', async () => {
  const org = await world.organization()
  const { moduleInstanceId } = await released(org)
  await org.deny('ecs:DescribeServices')
  const { data, errors } = await healthOf(org, [moduleInstanceId])
  expect(data).toEqual([])
  expect(errors).toMatchObject([{ message: expect.stringContaining('ecs:DescribeServices') }])
})
