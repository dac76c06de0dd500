import { randomUUID } from 'node:crypto'
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs'
import { apiErrors, type EventQueue, failures, type InfrastructureEvent } from '@sluice/contract'
import pino from 'pino'
import { beforeAll, describe, expect, test } from 'vitest'
import { cloudAccounts } from '../../cloud/cloud-accounts/tables.ts'
import { eventQueues } from '../../cloud/event-queues/tables.ts'
import { systemClock } from '../../platform/clock.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { connectEngine } from '../../platform/engine/client.ts'
import { createWakeUps } from '../../platform/engine/wake-ups.ts'
import { eventually } from '../../testing/eventually.ts'
import { sharedWorld, type TestOrganization, type World } from '../../testing/world.ts'
import { createIntake } from './intake.ts'
import { startPolling } from './poll.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})

/** Creates an organization whose account has a queue that events are fetched from. */
async function withQueue(name = 'sluice-events') {
  const org = await world.organization({ delivery: false })
  const { QueueUrl = '' } = await org.clients.queues.send(
    new CreateQueueCommand({ QueueName: name, Attributes: { VisibilityTimeout: '2' } }),
  )
  const queueArn = `arn:aws:sqs:eu-west-1:${org.accountNumber}:${name}`
  const path = `/cloud-accounts/${org.cloudAccountId}`
  const attach = () => org.client.done('PATCH', path, { data: { eventQueueArn: queueArn } })
  const sendText = (MessageBody: string) => org.clients.queues.send(new SendMessageCommand({ QueueUrl, MessageBody }))
  const send = (body: unknown) => sendText(JSON.stringify(body))
  const left = async () => {
    const wish = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] })
    const { Attributes = {} } = await org.clients.queues.send(wish)
    return Number(Attributes.ApproximateNumberOfMessages) + Number(Attributes.ApproximateNumberOfMessagesNotVisible)
  }
  const isEmpty = () => eventually('the queue to be empty', left, (count) => count === 0)
  return { org, QueueUrl, queueArn, path, attach, send, sendText, left, isEmpty }
}

const eventOf = ({ accountNumber }: TestOrganization, change: Record<string, unknown> = {}) => ({
  version: '0',
  id: randomUUID(),
  'detail-type': 'Something new',
  source: 'aws.ecs',
  account: accountNumber,
  time: new Date().toISOString(),
  region: 'eu-west-1',
  resources: [],
  detail: {},
  ...change,
})

const kept = async ({ client }: TestOrganization) =>
  client.done<InfrastructureEvent[]>('GET', '/infrastructure-events?limit=100')

describe.concurrent('events from a queue', () => {
  test('are stored once, including unknown types, and then deleted from the queue', async () => {
    const { org, attach, send, isEmpty } = await withQueue()
    const event = eventOf(org)
    await send(event)
    await send(event)
    await send(eventOf(org, { 'detail-type': 'Something else' }))
    await attach()
    await isEmpty()
    const kinds = (await kept(org)).map(({ detailType }) => detailType)
    expect(kinds.toSorted()).toEqual(['Something else', 'Something new'])
  })

  test('complete a release', async () => {
    const { org, attach, send } = await withQueue()
    await attach()
    const { moduleInstanceId, serviceArn } = await org.service()
    const { id } = await org.deploy(moduleInstanceId)
    await send(eventOf(org, { 'detail-type': 'ECS Service Action', resources: [serviceArn] }))
    expect((await org.continueToEnd(id)).status).toBe('SUCCESS')
    const told = await eventually(
      'the event to be kept',
      () => kept(org),
      (events) => events.length > 0,
    )
    expect(told[0]).toMatchObject({ resourceArn: serviceArn, cloudAccountId: org.cloudAccountId })
  })

  test('are stored regardless of their content, without unstorable characters', async () => {
    const { org, attach, sendText, isEmpty } = await withQueue()
    const detail = '{"nul":"a\\u0000b","half":["\\ud800"],"__proto__":{"a":1},"big":12345678901234567890,"a":1}'
    await sendText(JSON.stringify(eventOf(org)).replace('"detail":{}', `"detail":${detail}`))
    await attach()
    await isEmpty()
    const [event] = await kept(org)
    expect(event?.event.detail).toEqual({ half: [null], big: '12345678901234567890', a: 1 })
  })

  test('that are invalid or of another account are discarded', async () => {
    const { org, attach, send, isEmpty } = await withQueue()
    await send('no event')
    await send(eventOf(org, { account: '999999999999' }))
    await send(eventOf(org, { 'detail-type': 'A real one' }))
    await attach()
    await isEmpty()
    expect((await kept(org)).map(({ detailType }) => detailType)).toEqual(['A real one'])
  })

  test('are fetched fast if there are many', async () => {
    const { org, QueueUrl, attach, isEmpty } = await withQueue()
    for (let batch = 0; batch < 30; batch += 1) {
      const Entries = Array.from({ length: 10 }, (_, n) => ({ Id: `m${n}`, MessageBody: JSON.stringify(eventOf(org)) }))
      await org.clients.queues.send(new SendMessageBatchCommand({ QueueUrl, Entries }))
    }
    await attach()
    await isEmpty()
    const { body } = await org.client.ask('GET', '/infrastructure-events?limit=1')
    expect(body).toMatchObject({ meta: { totalCount: 300 } })
  })

  test('stay in the queue while they cannot be stored, and the account shows the reason', async () => {
    const { org, path, attach, send, left } = await withQueue()
    await org.deny('sqs:ReceiveMessage')
    await send(eventOf(org))
    await attach()
    const seen = await eventually(
      'the trouble to be noted',
      () => org.client.done<EventQueue>('GET', `${path}/event-queue`),
      ({ error }) => error !== undefined,
    )
    expect(seen.error).toMatchObject({ code: failures.eventQueueUnreadable.code })
    expect(seen.error?.message).toContain('not authorized to perform: sqs:ReceiveMessage')
    expect(await left()).toBe(1)
  })

  test('are fetched by one process, and by another one after it stops', async () => {
    const { org, queueArn, attach, send, isEmpty } = await withQueue()
    await attach()
    const holderOf = async () => {
      const [row] = await world.db.select().from(eventQueues).where(eq(eventQueues.queueArn, queueArn))
      return row?.leasedBy ?? null
    }
    const first = await eventually('a process to take it', holderOf, (holder) => holder !== null)
    const log = pino({ level: 'silent' })
    const engine = connectEngine({ url: 'http://127.0.0.1:1' })
    const wakeUps = createWakeUps({ engine, clock: systemClock, log })
    const intake = createIntake({ db: world.db, wakeUps, clock: systemClock })
    const other = startPolling({ db: world.db, cloud: world.access, intake, clock: systemClock, log }, 100)
    await send(eventOf(org))
    await isEmpty()
    expect(await holderOf()).toBe(first)
    // Simulates a crash of the first process, whose lease is not renewed.
    const past = new Date(Date.now() - 1_000)
    await world.db.update(eventQueues).set({ leasedUntil: past }).where(eq(eventQueues.queueArn, queueArn))
    await eventually('another to take it', holderOf, (holder) => holder !== first)
    await other.stop()
    expect(await holderOf()).not.toBe(first)
  })
})

describe.concurrent('the queue of a cloud account', () => {
  test('can be set, read and removed', async () => {
    const { org, path, queueArn, attach } = await withQueue()
    const read = () => org.client.done<EventQueue>('GET', `${path}/event-queue`)
    expect(await read()).toEqual({})
    await attach()
    expect(await read()).toMatchObject({ queueArn })
    await eventually('it to be polled', read, ({ lastPolledAt }) => lastPolledAt !== undefined)
    await org.client.done('PATCH', path, { data: { eventQueueArn: null } })
    expect(await read()).toEqual({})
  })

  test('must be a queue of this account, and used only once', async () => {
    const { org, path, queueArn, attach } = await withQueue()
    const set = (eventQueueArn: string) => org.client.ask('PATCH', path, { data: { eventQueueArn } })
    expect(await set(queueArn.replace(org.accountNumber, '999999999999'))).toMatchObject({
      status: 422,
      body: { code: apiErrors.eventQueueElsewhere.code },
    })
    for (const wrong of ['http://127.0.0.1/queue', queueArn.replace(':sqs:', ':sns:'), `${queueArn}/../x`]) {
      expect(await set(wrong)).toMatchObject({ status: 400 })
    }
    await attach()
    // The same cloud account, connected by another organization.
    const other = await world.organization({ delivery: false })
    const sameNumber = { cloudId: org.accountNumber }
    await world.db.update(cloudAccounts).set(sameNumber).where(eq(cloudAccounts.id, other.cloudAccountId))
    const body = { data: { eventQueueArn: queueArn } }
    expect(await other.client.ask('PATCH', `/cloud-accounts/${other.cloudAccountId}`, body)).toMatchObject({
      status: 409,
      body: { code: apiErrors.eventQueueTaken.code },
    })
  })
})
