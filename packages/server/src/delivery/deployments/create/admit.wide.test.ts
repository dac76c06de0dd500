import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Client } from '../../../testing/client.ts'
import { blueGreen, pausing } from '../../../testing/strategies.ts'
import { startWorld, type World } from '../../../testing/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld({ env: { SLUICE_LIMIT_QUEUED_DEPLOYMENTS: '1' } })
})
afterAll(() => world?.[Symbol.asyncDispose]())

const tooMany = {
  status: 429,
  body: { code: 'Sluice:Request:RATE_LIMITED', metadata: { limit: 'queuedDeployments', most: 1 } },
}

test("a deployment is rejected when the organization's queue limit is reached, including deployments that the caller cannot see", async () => {
  const org = await world.organization()
  const [busy, idle] = [await org.service(pausing(blueGreen, ['PRE_SCALE_UP'])), await org.service()]
  const member = await org.member('DEVELOPER')
  const { projectId } = await org.client.done<{ projectId: string }>(
    'GET',
    `/module-instances/${idle.moduleInstanceId}`,
  )
  const secret = { projectId, givenId: 'secret', name: 'Secret', visibility: 'MEMBERS' }
  await org.client.done('POST', '/environments', { data: secret })
  const ask = (client: Client, { moduleInstanceId }: { moduleInstanceId: string }) =>
    client.ask('POST', '/deployments', {
      data: { moduleInstanceId, description: 'One too many', inputs: { image_ref: 'shop/app:9' } },
    })
  const running = await org.deploy(busy.moduleInstanceId)
  await org.untilPaused(running.id)
  const waiting = await org.deploy(busy.moduleInstanceId)

  for (const client of [org.client, member]) {
    for (const instance of [busy, idle]) expect(await ask(client, instance)).toMatchObject(tooMany)
  }
  const others = await world.organization()
  await others.deploy((await others.service()).moduleInstanceId)

  await org.client.done('POST', `/deployments/${waiting.id}/cancel`, { data: {} })
  expect(await ask(member, idle)).toMatchObject({ status: 201, body: { data: { status: 'PENDING' } } })
  await org.client.done('POST', `/deployments/${running.id}/cancel`, { data: {} })
})

test('the response to a new deployment equals the stored deployment', async () => {
  const org = await world.organization()
  const { moduleInstanceId } = await org.service()
  const made = await org.deploy(moduleInstanceId)
  const stored = await org.untilStatus(made.id, 'SUCCESS')
  const { createdAt, description, deploymentType, triggerSource, projectId, environmentId } = stored
  expect(made).toMatchObject({ createdAt, description, deploymentType, triggerSource, projectId, environmentId })
  expect(made.data?.type).toBe(stored.data?.type)
})
