import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { CreateQueueCommand, SendMessageBatchCommand } from '@aws-sdk/client-sqs'
import type { InfrastructureEvent } from '@sluice/contract'
import { expect, test } from 'vitest'
import { setEventQueue } from '../src/cloud/event-queues/store.ts'
import type { Client } from '../src/testing/client.ts'
import { eventually } from '../src/testing/eventually.ts'
import type { World } from '../src/testing/world.ts'
import { startCrashWorld } from './crash-world.ts'
import { Progress } from './progress.ts'
import { Random, suiteSeed } from './random.ts'

const kills = 8
const queuedCount = 2_000
const posters = 8

test('no confirmed or fetched event is lost or stored twice while the service is killed 8 times', async () => {
  const random = new Random(suiteSeed())
  const { service, people } = await startCrashWorld({ speed: 60, people: settle, env: { SLUICE_LOG_LEVEL: 'warn' } })
  const { client, post, queued } = people
  const answered: string[] = []
  let isOver = false

  /** Sends events like the cloud: an event without a successful response is sent again. */
  const keepPosting = async () => {
    while (!isOver) {
      const id = randomUUID()
      const progress = new Progress(`event ${id} to be taken`)
      for (;;) {
        const failure = await post(id, progress.timeout())
        if (failure === undefined) break
        progress.check(failure)
        await sleep(20) // interval of the sender
      }
      answered.push(id)
    }
  }
  const posting = Promise.all(Array.from({ length: posters }, keepPosting))
  posting.catch(() => {}) // awaited below, if the kills do not fail first
  try {
    while (service.kills < kills) {
      await service.ready()
      await sleep(random.between(100, 2_500)) // lifetime of this run
      await service.kill(random.chance(0.3) ? 'service and engine' : 'service')
      service.start()
    }
    await service.ready()
  } finally {
    isOver = true
  }
  await posting

  const sent = [...answered, ...queued].toSorted()
  const kept = await eventually(
    'all events to be kept',
    async () => (await listAll(client)).toSorted(),
    (ids) => ids.length >= sent.length,
    120_000,
  )
  expect(kept).toEqual(sent)
  expect(answered.length, 'events posted between the kills').toBeGreaterThan(100)
  expect(service.ownEnds).toEqual([])
  await service.stop()
})

async function settle(world: World) {
  const org = await world.organization({ delivery: false })
  const { accountNumber, cloudAccountId, client } = org
  const { queues } = org.clients
  const QueueName = 'sluice-events'
  // Messages that a killed process had received become visible again soon.
  const Attributes = { VisibilityTimeout: '3' }
  const { QueueUrl } = await queues.send(new CreateQueueCommand({ QueueName, Attributes }))
  const eventOf = (id: string) => ({
    id,
    'detail-type': 'ECS Task State Change',
    source: 'aws.ecs',
    account: accountNumber,
    time: new Date().toISOString(),
    region: 'eu-west-1',
    resources: [],
    detail: { group: 'service:web', clusterArn: `arn:aws:ecs:eu-west-1:${accountNumber}:cluster/shop` },
  })
  const queued = Array.from({ length: queuedCount }, () => randomUUID())
  for (let first = 0; first < queued.length; first += 10) {
    const batch = queued.slice(first, first + 10)
    const Entries = batch.map((id) => ({ Id: id, MessageBody: JSON.stringify(eventOf(id)) }))
    await queues.send(new SendMessageBatchCommand({ QueueUrl, Entries }))
  }
  await setEventQueue(world.db, org.id, cloudAccountId, `arn:aws:sqs:eu-west-1:${accountNumber}:${QueueName}`)
  const headers = { 'content-type': 'application/json', 'x-sluice-event-secret': org.eventSecret }
  const url = `${world.url}/cloud-accounts/${cloudAccountId}/events`
  /** Posts an event. Returns the reason if it was not accepted. */
  const post = (id: string, signal: AbortSignal): Promise<unknown> =>
    fetch(url, { method: 'POST', headers, body: JSON.stringify(eventOf(id)), signal }).then(
      ({ status }) => (status === 202 ? undefined : status),
      (error: unknown) => error,
    )
  return { client, post, queued }
}

const listAll = async (client: Client): Promise<string[]> =>
  (await client.all<InfrastructureEvent>('/infrastructure-events')).map(({ externalEventId }) => externalEventId)
