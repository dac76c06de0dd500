import { UpdateServiceCommand } from '@aws-sdk/client-ecs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ecsDataOf, startWorld, type World } from '../../../../testing/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
  await world.cloud.setWeather({ shufflesLists: true })
})
afterAll(() => world?.[Symbol.asyncDispose]())

/** Default page size of the cloud's lists. */
const aPage = 20

test('a release is found by its time among more than a page of others, in any order', async () => {
  const org = await world.organization({ delivery: false })
  const { moduleInstanceId, input } = await org.service()
  const again = { cluster: input.cluster_arn, service: input.service_arn, forceNewDeployment: true }
  for (let before = 0; before < aPage + 5; before++) await org.clients.ecs.send(new UpdateServiceCommand(again))
  const { id } = await org.deploy(moduleInstanceId)
  const done = await org.untilStatus(id, 'SUCCESS')
  expect(ecsDataOf(done).deployedTaskDefinition?.definition).toMatchObject({
    containerDefinitions: [{ image: 'shop/app:2' }],
  })
  const lists = await org.calls('ListServiceDeployments')
  expect(lists.length).toBeGreaterThan(0)
  for (const { request } of lists) expect(request).toMatchObject({ createdAt: { after: expect.any(Number) } })
})

test('a command whose response was lost is found by `startedBy` alone', async () => {
  const command = { container_overrides: [{ name: 'app', command: ['migrate'] }] }
  const org = await world.organization({ delivery: false, deploy: { pre_deploy: command } })
  const { moduleInstanceId, input } = await org.service()
  await org.fault({ kind: 'drop-answer', operation: 'RunTask', times: 1 })
  const { id } = await org.deploy(moduleInstanceId)
  await org.untilStatus(id, 'SUCCESS')
  const lists = (await org.calls('ListTasks')).map(({ request }) => request as Record<string, unknown>)
  const byStarter = lists.filter(({ startedBy }) => startedBy !== undefined)
  expect(byStarter.length).toBeGreaterThan(0)
  for (const request of byStarter) {
    expect(Object.keys(request).toSorted()).toEqual(['cluster', 'startedBy'])
    expect(request.cluster).toBe(input.cluster_arn)
  }
  expect(await org.calls('RunTask')).toHaveLength(1)
})
