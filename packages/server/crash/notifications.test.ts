import type { Deployment, NotificationChannel, NotificationDelivery } from '@sluice/contract'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../src/testing/eventually.ts'
import { type Received, startStubServer } from '../src/testing/stub-server.ts'
import type { World } from '../src/testing/world.ts'
import { startCrashWorld } from './crash-world.ts'
import { PatientClient } from './patient-client.ts'

/** Time limit in milliseconds, for several starts of the service. */
const withinMs = 120_000

async function settle(world: World) {
  const org = await world.organization({ delivery: false })
  const { moduleInstanceId } = await org.service()
  return { client: new PatientClient(world.url, org.client.token), moduleInstanceId }
}

const idOf = ({ headers }: Received) => String(headers['webhook-id'])
const typeOf = ({ body }: Received): string => JSON.parse(body).type

test('a notification that was sent but not recorded before a kill is sent again with its ID, and none is lost', async () => {
  const world = await startCrashWorld({ speed: 600, people: settle, env: { SLUICE_OUTBOUND_ALLOW: '127.0.0.1' } })
  const { service, people } = world
  const { client, moduleInstanceId } = people
  const seen = new Set<string>()
  const receiver = await startStubServer(async (request) => {
    if (seen.has(idOf(request))) return {}
    seen.add(idOf(request))
    // The receiver has it, and the service will never know.
    await service.kill('service and engine')
    service.start()
    return {}
  })
  onTestFinished(() => receiver[Symbol.asyncDispose]())
  const events = ['deployment.started', 'deployment.succeeded']
  const { id: channelId } = await client.done<NotificationChannel>('POST', '/notification-channels', {
    data: { name: 'Chat', url: receiver.url, events },
  })
  const { id } = await client.done<Deployment>('POST', '/deployments', {
    data: { moduleInstanceId, description: 'Release', inputs: { image_ref: 'shop/app:2' } },
  })
  const deliveries = await eventually(
    'both to be delivered',
    () => client.done<NotificationDelivery[]>('GET', `/notification-channels/${channelId}/deliveries`),
    (told) => told.length === 2 && told.every(({ status }) => status === 'DELIVERED'),
    withinMs,
  )
  expect(receiver.received.map(typeOf)).toEqual(events.flatMap((type) => [type, type]))
  const ids = deliveries.map((one) => one.id).toReversed()
  expect(receiver.received.map(idOf)).toEqual(ids.flatMap((one) => [one, one]))
  expect(deliveries.map(({ recordId, attempts }) => [recordId, attempts.length])).toEqual([
    [id, 1],
    [id, 1],
  ])
  expect(service.kills).toBe(2)
  expect(service.ownEnds).toEqual([])
})
