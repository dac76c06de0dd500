import { createHmac } from 'node:crypto'
import {
  type AuditEvent,
  type NotificationChannel,
  type NotificationChannelWithSecret,
  type NotificationDelivery,
  type NotificationEventPage,
  type NotificationPayload,
  type NotificationReplay,
  payloadSchemaOf,
} from '@sluice/contract'
import { Errors } from 'typebox/value'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { insertCertificate } from '../../cloud/certificates/store.ts'
import { cloudConnections } from '../../cloud/cloud-accounts/tables.ts'
import { serviceAuthor } from '../../identity/audit-events/author.ts'
import { recordChange } from '../../identity/audit-events/record.ts'
import { stackDrifts } from '../../infrastructure/stack-drift/tables.ts'
import { currentPosition } from '../../interface/changes/store.ts'
import { pipelineStepExecutions } from '../../pipelines/pipelines/tables.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { firstIdAt } from '../../platform/ids.ts'
import { eventually } from '../../testing/eventually.ts'
import { blueGreen, pausingBeforeShifts } from '../../testing/strategies.ts'
import { type Received, startStubServer } from '../../testing/stub-server.ts'
import { startWorld, type TestOrganization, type World } from '../../testing/world.ts'
import { deleteOldNotifications } from '../notification-deliveries/store.ts'
import { notificationDeliveries } from '../notification-deliveries/tables.ts'
import { notificationChannels, notificationPositions } from './tables.ts'

const consoleUrl = 'https://sluice.example.com'
const opened: Receiver[] = []
let world: World
beforeAll(async () => {
  world = await startWorld({ env: { SLUICE_OUTBOUND_ALLOW: '127.0.0.1', SLUICE_PUBLIC_URL: consoleUrl } })
})
afterAll(async () => {
  const sent = opened.flatMap(({ received }) => received.map(payloadOf))
  for (const one of sent) expect(Errors(payloadSchemaOf(one.type), one), `${one.type} as it is described`).toEqual([])
  for (const one of opened) await one[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

type Receiver = Awaited<ReturnType<typeof startStubServer>>

async function receiver(answer?: Parameters<typeof startStubServer>[0]): Promise<Receiver> {
  const server = await startStubServer(answer)
  opened.push(server)
  return server
}

const starts = 'deployment.started'
const succeeds = 'deployment.succeeded'
const everyEnd = [starts, succeeds, 'deployment.failed', 'deployment.rolled_back', 'deployment.cancelled']

const channel = (org: TestOrganization, url: string, more: object = {}) =>
  org.client.done<Signed>('POST', '/notification-channels', {
    data: { name: 'Chat', url, events: everyEnd, ...more },
  })

/** Webhook as returned with its secret. */
type Signed = NotificationChannelWithSecret & { secret: string }

const channelNow = ({ client }: TestOrganization, { id }: { id: string }) =>
  client.done<NotificationChannel>('GET', `/notification-channels/${id}`)

const change = ({ client }: TestOrganization, { id }: { id: string }, data: object) =>
  client.done<NotificationChannel>('PATCH', `/notification-channels/${id}`, { data })

const sendTest = ({ client }: TestOrganization, { id }: { id: string }) =>
  client.done<NotificationDelivery>('POST', `/notification-channels/${id}/test`)

const deliveries = ({ client }: TestOrganization, { id }: { id: string }, query = '') =>
  client.done<NotificationDelivery[]>('GET', `/notification-channels/${id}/deliveries${query}`)

const untilDelivery = (org: TestOrganization, { id }: { id: string }, what: string, isSo: Is<NotificationDelivery>) =>
  eventually(
    `${id} to be ${what}`,
    () => org.client.done<NotificationDelivery>('GET', `/notification-deliveries/${id}`),
    isSo,
  )
type Is<T> = (one: T) => boolean

const eventsOf = async ({ client }: TestOrganization, query = '') =>
  (await client.ask('GET', `/notification-events${query}`)).body as NotificationEventPage

const audited = ({ client }: TestOrganization, { id }: { id: string }) =>
  client.done<AuditEvent[]>('GET', `/audit-events?resourceId=${id}&limit=100`)

const hourMs = 3_600_000
const fromNow = (ms: number) => new Date(Date.now() + ms).toISOString()

const payloadOf = ({ body }: Received): NotificationPayload => JSON.parse(body)
const typesOf = ({ received }: Receiver) => received.map((one) => payloadOf(one).type)
const idsOf = ({ received }: Receiver) => received.map(({ headers }) => headers['webhook-id'])
const untilNotified = (server: Receiver, ...types: string[]) =>
  eventually(
    types.join(', '),
    async () => typesOf(server),
    (told) => types.every((type) => told.some((one) => one === type)),
  )

/** Verifies a request's signature as a receiver would. */
function isSignedWith(secret: string, { headers, body }: Received): boolean {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const text = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  const right = `v1,${createHmac('sha256', key).update(text).digest('base64')}`
  return String(headers['webhook-signature']).split(' ').includes(right)
}

describe.concurrent('a channel', () => {
  test('gets the events of a release from start to end, in order and signed with its secret', async () => {
    const [org, server] = [await world.organization(), await receiver()]
    const { moduleInstanceId } = await org.service()
    const made = await channel(org, `${server.url}/hook`)
    const { id } = await org.deploy(moduleInstanceId)
    await org.untilStatus(id, 'SUCCESS')
    await untilNotified(server, succeeds)
    expect(typesOf(server)).toEqual([starts, succeeds])
    const [first, second] = server.received
    expect(first).toMatchObject({ method: 'POST', path: '/hook', headers: { 'content-type': 'application/json' } })
    for (const one of server.received) expect(isSignedWith(made.secret, one)).toBe(true)
    expect(second && payloadOf(second)).toEqual({
      type: succeeds,
      timestamp: (await org.get(id)).completedAt,
      data: expect.objectContaining({
        organizationId: org.id,
        deploymentId: id,
        status: 'SUCCESS',
        description: 'Release shop/app:2',
        moduleInstance: { id: moduleInstanceId, name: expect.any(String) },
        environment: expect.objectContaining({ name: 'production' }),
        project: expect.objectContaining({ name: 'Shop' }),
        url: `${consoleUrl}/console/deployments/${id}`,
      }),
    })
    const told = await eventually(
      'both to be written down',
      () => deliveries(org, made, '?status=DELIVERED'),
      ({ length }) => length === 2,
    )
    expect(told.map(({ attempts }) => attempts.map(({ status, answer }) => [status, answer]))).toEqual([
      [[200, '{"ok":true}']],
      [[200, '{"ok":true}']],
    ])
    expect(told.map((one) => one.id).toReversed()).toEqual(idsOf(server))
  })

  test('gets each pause once', async () => {
    const [org, server] = [await world.organization(), await receiver()]
    const { moduleInstanceId } = await org.service(pausingBeforeShifts(blueGreen))
    await channel(org, server.url, { events: ['deployment.paused', succeeds] })
    const { id } = await org.deploy(moduleInstanceId)
    await org.untilPaused(id)
    await untilNotified(server, 'deployment.paused')
    await org.continueToEnd(id)
    await untilNotified(server, succeeds)
    expect(typesOf(server)).toEqual(['deployment.paused', succeeds])
  })

  test('gets the reason of a failed release, and no events that it did not select', async () => {
    const [org, server] = [await world.organization(), await receiver()]
    const { moduleInstanceId } = await org.service()
    await channel(org, server.url, { events: ['deployment.failed'] })
    await org.deny('ecs:RegisterTaskDefinition')
    const { id } = await org.deploy(moduleInstanceId)
    const { error } = await org.untilStatus(id, 'ERROR')
    await untilNotified(server, 'deployment.failed')
    expect(server.received.map(payloadOf)).toMatchObject([{ data: { status: 'ERROR', error: error?.message } }])
  })

  test('gets only events of its project and environments that happened after its creation', async () => {
    const [org, all, other] = [await world.organization(), await receiver(), await receiver()]
    const { moduleInstanceId } = await org.service()
    const before = await org.deploy(moduleInstanceId)
    await org.untilStatus(before.id, 'SUCCESS')
    const { projectId, environmentId } = before
    const { id: elsewhere } = await org.client.done<{ id: string }>('POST', '/environments', {
      data: { projectId, givenId: 'staging', name: 'Staging' },
    })
    await channel(org, other.url, { environmentIds: [elsewhere] })
    await channel(org, all.url, { projectId, environmentIds: [environmentId] })
    const { id } = await org.deploy(moduleInstanceId, 'shop/app:3')
    await org.untilStatus(id, 'SUCCESS')
    await untilNotified(all, succeeds)
    expect(all.received.map((one) => Reflect.get(payloadOf(one).data, 'deploymentId'))).toEqual([id, id])
    expect(other.received).toEqual([])
  })

  test('gets a failed delivery again with the same id, and later events of the record only after it', async () => {
    const server = await receiver(() => ({ status: server.received.length <= 1 ? 500 : 200, text: 'later' }))
    const org = await world.organization()
    const { moduleInstanceId } = await org.service()
    const made = await channel(org, server.url)
    const { id } = await org.deploy(moduleInstanceId)
    await org.untilStatus(id, 'SUCCESS')
    await untilNotified(server, succeeds)
    expect(typesOf(server)).toEqual([starts, starts, succeeds])
    const [first, again] = idsOf(server)
    expect(again).toBe(first)
    const delivered = await untilDelivery(org, { id: String(first) }, 'delivered', (one) => one.status === 'DELIVERED')
    expect(delivered.attempts).toMatchObject([{ status: 500, answer: 'later' }, { status: 200 }])
    expect((await channelNow(org, made)).failingSince).toBeUndefined()
  })

  test('gets a resent event as a new delivery of the same event', async () => {
    const [org, server] = [await world.organization(), await receiver()]
    const made = await channel(org, server.url)
    const first = await sendTest(org, made)
    await untilDelivery(org, first, 'delivered', (one) => one.status === 'DELIVERED')
    const again = await org.client.done<NotificationDelivery>('POST', `/notification-deliveries/${first.id}/resend`)
    expect(again).toMatchObject({ eventId: first.eventId, payload: first.payload, resendOf: first.id })
    await untilDelivery(org, again, 'delivered', (one) => one.status === 'DELIVERED')
    expect(idsOf(server)).toEqual([first.id, again.id])
    expect(typesOf(server)).toEqual(['channel.test', 'channel.test'])
  })

  test('returns its secret once, and after a rotation both secrets sign', async () => {
    const [org, server] = [await world.organization(), await receiver()]
    const made = await channel(org, server.url)
    expect(made.secret).toMatch(/^whsec_[\w+/]{43}=$/)
    expect(await channelNow(org, made)).not.toHaveProperty('secret')
    const path = `/notification-channels/${made.id}/rotate-secret`
    const rotated = await org.client.done<Signed>('POST', path)
    expect(rotated.secret).not.toBe(made.secret)
    await sendTest(org, made)
    await untilNotified(server, 'channel.test')
    const [both] = server.received
    expect(both && [made, rotated].map(({ secret }) => isSignedWith(secret, both))).toEqual([true, true])
    const past = { formerSecretUntil: new Date(Date.now() - 1) }
    await world.db.update(notificationChannels).set(past).where(eq(notificationChannels.id, made.id))
    const { id } = await sendTest(org, made)
    await untilDelivery(org, { id }, 'delivered', (one) => one.status === 'DELIVERED')
    const one = server.received.at(-1)
    expect(one && [made, rotated].map(({ secret }) => isSignedWith(secret, one))).toEqual([false, true])
    const written = JSON.stringify(await audited(org, made))
    for (const { secret } of [made, rotated]) expect(written).not.toContain(secret)
  })

  test('that responds with 410 is disabled with a reason, its pending deliveries fail, and the other channels are notified', async () => {
    const [org, server] = [await world.organization(), await receiver(() => ({ status: 410 }))]
    const made = await channel(org, server.url)
    const other = await receiver()
    await channel(org, other.url, { name: 'Another', events: ['deployment.failed'] })
    const { id } = await sendTest(org, made)
    await untilDelivery(org, { id }, 'given up', (one) => one.status === 'FAILED')
    expect(await channelNow(org, made)).toMatchObject({
      enabled: false,
      disabledReason: expect.stringContaining('410'),
      brokenSince: expect.any(String),
    })
    await untilNotified(other, 'channel.broken')
    expect(other.received.map((one) => payloadOf(one).data)).toEqual([
      { organizationId: org.id, channelId: made.id, message: expect.stringMatching(/Chat is broken.*410/) },
    ])
    expect((await audited(org, made)).map(({ action, actorType }) => [action, actorType])).toContainEqual([
      'notification-channels.disable',
      'SERVICE',
    ])
    const { status, body } = await org.client.ask('POST', `/notification-channels/${made.id}/test`)
    expect([status, body]).toMatchObject([422, { code: 'Sluice:NotificationChannels:DISABLED' }])
    const enabled = await change(org, made, { enabled: true })
    expect(enabled).toMatchObject({ enabled: true })
    expect([enabled.disabledReason, enabled.brokenSince]).toEqual([undefined, undefined])
  })

  test('that has failed for five days is disabled', async () => {
    const [org, server] = [await world.organization(), await receiver(() => ({ status: 503 }))]
    const made = await channel(org, server.url)
    const failingSince = new Date(Date.now() - 5 * 86_400_000)
    await world.db.update(notificationChannels).set({ failingSince }).where(eq(notificationChannels.id, made.id))
    await sendTest(org, made)
    const { disabledReason } = await eventually(
      'the channel to be disabled',
      () => channelNow(org, made),
      ({ enabled }) => !enabled,
    )
    expect(disabledReason).toContain(failingSince.toISOString())
  })

  test('does not follow redirects, and its response may contain anything', async () => {
    const [org, inside] = [await world.organization(), await receiver()]
    const server = await receiver(() => ({
      status: 302,
      headers: { location: inside.url },
      text: `${'\0'.repeat(499)}🙂`,
    }))
    const { id } = await sendTest(org, await channel(org, server.url))
    const tried = await untilDelivery(org, { id }, 'tried', (one) => one.attempts.length > 0)
    expect(tried.attempts[0]).toMatchObject({ status: 302, answer: '\ufffd' })
    expect(tried.status).toBe('PENDING')
    expect(inside.received).toEqual([])
  })

  test('that does not respond does not delay other channels', async () => {
    const [org, other] = [await world.organization(), await world.organization()]
    const [dead, quick] = [await receiver(() => new Promise(() => {})), await receiver()]
    const stuck = await sendTest(org, await channel(org, dead.url))
    await untilNotified(dead, 'channel.test')
    for (const one of [org, other]) {
      const { id } = await sendTest(one, await channel(one, quick.url))
      await untilDelivery(one, { id }, 'delivered', ({ status }) => status === 'DELIVERED')
    }
    const { attempts } = await untilDelivery(org, stuck, 'tried', (one) => one.attempts.length > 0)
    expect(attempts[0]).toMatchObject({ error: expect.stringContaining('did not answer within 10000 ms') })
  })

  test('of one organization gets no events of another', async () => {
    const [org, other, server] = [await world.organization(), await world.organization(), await receiver()]
    await channel(org, server.url)
    const { moduleInstanceId } = await other.service()
    const { id } = await other.deploy(moduleInstanceId)
    await other.untilStatus(id, 'SUCCESS')
    const { id: testId } = await sendTest(org, await channel(org, server.url))
    await untilDelivery(org, { id: testId }, 'delivered', ({ status }) => status === 'DELIVERED')
    expect(typesOf(server)).toEqual(['channel.test'])
  })

  test('gets events that were not processed for longer than changes are retained', async () => {
    const [org, server] = [await world.organization(), await receiver()]
    const { moduleInstanceId } = await org.service()
    await channel(org, server.url, { events: [succeeds] })
    const { id } = await org.deploy(moduleInstanceId)
    await org.untilStatus(id, 'SUCCESS')
    await untilNotified(server, succeeds)
    await world.db.delete(notificationDeliveries).where(eq(notificationDeliveries.organizationId, org.id))
    const { transactionId } = await currentPosition(world.db)
    const longAgo = { transactionId, readAt: new Date(Date.now() - 3_600_000) }
    await world.db.update(notificationPositions).set(longAgo).where(eq(notificationPositions.organizationId, org.id))
    await eventually(
      'the same to be found again',
      async () => typesOf(server),
      ({ length }) => length === 2,
    )
    expect(typesOf(server)).toEqual([succeeds, succeeds])
  })

  test('that was disabled gets missed events and later ones in order when a user requests a replay', async () => {
    const [org, server] = [await world.organization(), await receiver()]
    const { moduleInstanceId } = await org.service()
    const made = await channel(org, server.url)
    const first = await org.deploy(moduleInstanceId)
    await org.untilStatus(first.id, 'SUCCESS')
    await untilNotified(server, succeeds)
    await change(org, made, { enabled: false })
    const missed = await org.deploy(moduleInstanceId, 'shop/app:3')
    await org.untilStatus(missed.id, 'SUCCESS')
    const { data } = await eventually(
      'both to be among the events',
      () => eventsOf(org),
      (page) => page.data.filter(({ payload }) => payload.type === succeeds).length === 2,
    )
    expect((await eventsOf(org, `?types=${succeeds}`)).data.map(({ recordId }) => recordId)).toEqual([
      first.id,
      missed.id,
    ])
    await change(org, made, { enabled: true })
    const after = data.find(({ payload }) => payload.type === starts)?.position
    const replay = () =>
      org.client.done<NotificationReplay>('POST', `/notification-channels/${made.id}/replay`, { data: { after } })
    expect(await replay()).toEqual({ deliveries: 3, position: data.at(-1)?.position, hasMore: false })
    await eventually(
      'all three to be delivered',
      () => deliveries(org, made),
      (all) => all.filter(({ status }) => status === 'DELIVERED').length === 5,
    )
    expect(typesOf(server)).toEqual([starts, succeeds, succeeds, starts, succeeds])
    const resent = (await deliveries(org, made)).filter(({ resendOf }) => resendOf !== undefined)
    expect(resent.map(({ recordId }) => recordId)).toEqual([first.id])
    const slack = await channel(org, server.url, { kind: 'SLACK' })
    const asked = { data: { after } }
    const { status, body } = await org.client.ask('POST', `/notification-channels/${slack.id}/replay`, asked)
    expect([status, body]).toMatchObject([422, { code: 'Sluice:NotificationChannels:NOT_REPLAYABLE' }])
  })

  test('gets the audit log in order if an owner selects it, and again from a position', async () => {
    const [org, server] = [await world.organization(), await receiver()]
    const admin = await org.member('ADMIN')
    const log = { name: 'Log', url: server.url, events: ['audit.recorded'] }
    expect(await admin.ask('POST', '/notification-channels', { data: log })).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('audit-events:read') },
    })
    const onSlack = { ...log, kind: 'SLACK' }
    expect(await org.client.ask('POST', '/notification-channels', { data: onSlack })).toMatchObject({ status: 400 })
    const ordinary = await channel(org, (await receiver()).url, { events: [] })
    const made = await channel(org, server.url, log)
    for (const name of ['One', 'Two', 'Three']) await org.client.done('POST', '/teams', { data: { name } })
    const lines = () =>
      server.received.flatMap((one) => {
        const { data } = payloadOf(one)
        return 'auditEvent' in data ? [data.auditEvent] : []
      })
    const teams = async () => lines().filter(({ action }) => action === 'teams.create')
    const told = await eventually('all lines to be told', teams, ({ length }) => length === 3)
    expect(told.map(({ details }) => details?.name)).toEqual(['One', 'Two', 'Three'])
    expect(lines()).toEqual(
      (await org.client.done<AuditEvent[]>('GET', '/audit-events')).slice(0, lines().length).toReversed(),
    )
    expect(JSON.stringify(server.received)).not.toContain(made.secret)
    const delivered = await eventually(
      'all to be written down',
      () => deliveries(org, made, '?status=DELIVERED'),
      ({ length }) => length === lines().length,
    )
    expect(await deliveries(org, ordinary)).toEqual([])

    // An admin can see that the channel exists, but neither its deliveries nor can they change its address.
    expect(await admin.done('GET', `/notification-channels/${made.id}/deliveries`)).toEqual([])
    const hidden = await admin.ask('GET', `/notification-deliveries/${delivered[0]?.id}`)
    expect(hidden.status).toBe(404)
    const path = `/notification-channels/${made.id}`
    for (const [method, where, data] of [
      ['PATCH', path, { url: 'https://elsewhere.example.com' }],
      ['DELETE', path],
      ['POST', `${path}/rotate-secret`],
    ] as const)
      expect((await admin.ask(method, where, data && { data })).status, method).toBe(403)
    expect((await admin.ask('GET', '/notification-events')).body).toMatchObject({ data: [] })

    const { data, meta } = await eventsOf(org)
    expect(data.slice(-lines().length).map(({ payload }) => payload)).toEqual(server.received.map(payloadOf))
    const before = lines().length
    const replayed = { data: { after: data.at(-2)?.position } }
    const answer = await org.client.done<NotificationReplay>('POST', `${path}/replay`, replayed)
    expect(answer).toMatchObject({ deliveries: 1, position: meta.position })
    const again = await eventually(
      'the last to be told again',
      async () => lines(),
      (all) => all.filter(({ id }) => id === all[before - 1]?.id).length === 2,
    )
    expect(again.length).toBeGreaterThan(before)
  })

  test('retains its deliveries for 30 days', async () => {
    const [org, server] = [await world.organization(), await receiver()]
    const made = await channel(org, server.url)
    const [old, young] = [await sendTest(org, made), await sendTest(org, made)]
    for (const one of [old, young]) await untilDelivery(org, one, 'delivered', ({ status }) => status === 'DELIVERED')
    const oldId = firstIdAt('ndl', new Date(Date.now() - 30 * 86_400_000 - 60_000))
    await world.db.update(notificationDeliveries).set({ id: oldId }).where(eq(notificationDeliveries.id, old.id))
    expect(await deliveries(org, made)).toHaveLength(2)
    await deleteOldNotifications(world.db, new Date())
    expect((await deliveries(org, made)).map(({ id }) => id)).toEqual([young.id])
  })

  test('can be managed by admins and owners', async () => {
    const [org, server] = [await world.organization(), await receiver()]
    const made = await channel(org, server.url)
    const [developer, admin] = [await org.member('DEVELOPER'), await org.member('ADMIN')]
    for (const path of ['/notification-channels', `/notification-channels/${made.id}/deliveries`]) {
      expect((await developer.ask('GET', path)).status).toBe(403)
      expect((await admin.ask('GET', path)).status).toBe(200)
    }
  })

  test('for mail requires a mail server configured by the operator', async () => {
    const org = await world.organization()
    const data = { name: 'One', kind: 'EMAIL', events: [starts], recipients: ['on-call@example.com'] }
    const { status, body } = await org.client.ask('POST', '/notification-channels', { data })
    expect([status, body]).toMatchObject([
      422,
      { code: 'Sluice:NotificationChannels:MAIL_NOT_SET_UP', message: expect.stringContaining('SLUICE_SMTP_URL') },
    ])
  })

  test('counts towards a limit of twenty', async () => {
    const org = await world.organization()
    await Promise.all(Array.from({ length: 20 }, () => channel(org, 'https://hooks.example.com/')))
    const data = { name: 'One more', url: 'https://hooks.example.com/', events: [starts] }
    const { status, body } = await org.client.ask('POST', '/notification-channels', { data })
    expect([status, body]).toMatchObject([422, { code: 'Sluice:NotificationChannels:TOO_MANY' }])
  })

  test('gets the approvals that a run waits for, and the end of the run', async () => {
    const [org, server] = [await world.organization(), await receiver()]
    await channel(org, server.url, { events: ['pipeline_run.approval_requested', 'pipeline_run.succeeded'] })
    const { id: run } = await org.pipelines.run([{ id: 'ask', name: 'May it go on?', type: 'approval' }])
    await untilNotified(server, 'pipeline_run.approval_requested')
    const [asked] = server.received
    expect(asked && payloadOf(asked).data).toMatchObject({
      pipelineRunId: run,
      status: 'PENDING_APPROVAL',
      pipeline: { id: expect.any(String), name: 'Release' },
      step: { id: expect.any(String), name: 'May it go on?' },
      url: `${consoleUrl}/console/runs/${run}`,
    })
    await org.pipelines.approve(run, 'ask')
    await untilNotified(server, 'pipeline_run.succeeded')
    expect(typesOf(server)).toEqual(['pipeline_run.approval_requested', 'pipeline_run.succeeded'])
  })

  test('gets holds, and releases that wait for the end of a freeze', async () => {
    const [org, server] = [await world.organization(), await receiver()]
    const { moduleInstanceId } = await org.service()
    await channel(org, server.url, { events: ['hold.placed', 'hold.lifted', 'deployment.frozen'] })
    const held = { moduleInstanceId, reason: 'Prices are wrong.' }
    const { id: holdId } = await org.client.done<{ id: string }>('POST', '/holds', { data: held })
    await untilNotified(server, 'hold.placed')
    await org.client.done('POST', `/holds/${holdId}/lift`, { data: { reason: 'Prices are right.' } })
    await untilNotified(server, 'hold.lifted')
    const window = { from: fromNow(-hourMs), until: fromNow(hourMs) }
    await org.client.done('POST', '/freezes', { data: { name: 'Quiet weeks', window, stops: ['RELEASES'] } })
    const { id } = await org.deploy(moduleInstanceId)
    await untilNotified(server, 'deployment.frozen')
    expect(server.received.map(payloadOf).map(({ type, data }) => ({ type, ...data }))).toMatchObject([
      { type: 'hold.placed', holdId, message: held.reason, moduleInstance: { id: moduleInstanceId } },
      { type: 'hold.lifted', holdId, message: 'Prices are right.', environment: { name: 'production' } },
      { type: 'deployment.frozen', deploymentId: id, message: expect.stringContaining('“Quiet weeks”') },
    ])
  })

  test('gets events of shared resources: disconnected cloud accounts, expiring certificates, drifted stacks', async () => {
    const [org, server, ofProject] = [await world.organization(), await receiver(), await receiver()]
    const { id: organizationId, cloudAccountId } = org
    const { projectId } = org.pipelines
    const named = { projectId, givenId: 'net', name: 'Network' }
    const stack = await org.client.done<{ id: string }>('POST', '/stacks', { data: named })
    const { id: runId } = await org.pipelines.run([{ id: 'ask', type: 'approval' }])
    const events = ['stack.drifted', 'cloud_account.disconnected', 'certificate.expires_soon']
    await channel(org, server.url, { events })
    await channel(org, ofProject.url, { events, projectId })
    // One denial was recorded before; this second one disconnects the account.
    await world.cloud.putRole({ roleArn: org.roleArn, externalId: 'of somebody else' })
    const due = { checkAt: new Date(0), refusals: 1 }
    const makeDue = () =>
      world.db.update(cloudConnections).set(due).where(eq(cloudConnections.cloudAccountId, cloudAccountId))
    // Each poll makes it due: a check in progress, or one that finds the cloud slow, sets a later time.
    const look = async () => {
      await makeDue()
      return typesOf(server)
    }
    await eventually('the account to be disconnected', look, (types) => types.includes('cloud_account.disconnected'))
    await world.db.transaction(async (tx) => {
      const asked = { domainName: 'shop.example.com', cloudAccountId, region: 'eu-west-1' }
      const { id: resourceId } = await insertCertificate(tx, organizationId, asked, new Date(Date.now() + hourMs))
      const change = { action: 'certificates.follow', resourceType: 'certificate', resourceId }
      const details = { status: 'ISSUED', expiresSoon: true }
      await recordChange(tx, serviceAuthor(organizationId), {
        ...change,
        details,
        before: { ...details, expiresSoon: false },
      })
    })
    await untilNotified(server, 'certificate.expires_soon')
    const found = { organizationId, stackId: stack.id, status: 'DRIFTED', runId, driftedSince: new Date() } as const
    await world.db.insert(stackDrifts).values(found)
    await org.pipelines.approve(runId, 'ask')
    await untilNotified(server, 'stack.drifted')
    expect(server.received.map(payloadOf).map(({ data }) => data)).toMatchObject([
      { cloudAccount: { id: cloudAccountId, name: 'Main' }, status: 'DISCONNECTED', error: expect.any(String) },
      { cloudAccount: { id: cloudAccountId }, names: ['shop.example.com'], status: 'ISSUED' },
      { stack: { id: stack.id }, project: { id: projectId }, pipelineRunId: runId },
    ])
    await untilNotified(ofProject, 'stack.drifted')
    expect(typesOf(ofProject)).toEqual(['stack.drifted'])
  })

  test('gets one reminder before an approval times out, even if nothing else happens and the channel is newer', async () => {
    const [org, server] = [await world.organization(), await receiver()]
    const { id: run } = await org.pipelines.run([{ id: 'ask', type: 'approval' }])
    const { id: step, statusDetail } = await org.pipelines.untilStep(run, 'ask', 'PENDING_APPROVAL')
    const asked = statusDetail as { approval: { expiresAt: string } }
    const made = await channel(org, server.url, { events: [], minimumSeverity: 'CRITICAL' })
    const isOrg = eq(notificationPositions.organizationId, org.id)
    await eventually(
      'the reminder to be set for an hour before the end',
      () => world.db.select().from(notificationPositions).where(isOrg),
      ([position]) => position?.remindAt?.getTime() === Date.parse(asked.approval.expiresAt) - hourMs,
    )
    // Simulates a request ten hours ago that times out in an hour and a moment.
    const [requestedAt, expiresAt] = [fromNow(-10 * hourMs), fromNow(hourMs + 1_000)]
    const approval = { requestedAt, expiresAt, onTimeout: 'reject' } as const
    await world.db.update(pipelineStepExecutions).set({ approval }).where(eq(pipelineStepExecutions.id, step))
    await untilNotified(server, 'pipeline_run.approval_expires_soon')
    const [reminder] = server.received
    expect(reminder && payloadOf(reminder).data).toMatchObject({ pipelineRunId: run, expiresAt })
    await org.pipelines.approve(run, 'ask')
    await org.pipelines.untilOver(run)
    await sendTest(org, made)
    await untilNotified(server, 'channel.test')
    expect(typesOf(server)).toEqual(['pipeline_run.approval_expires_soon', 'channel.test'])
  })
})
