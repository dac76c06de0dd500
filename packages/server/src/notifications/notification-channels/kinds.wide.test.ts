import {
  type AuditEvent,
  type NotificationChannelWithSecret,
  type NotificationDelivery,
  type NotificationSettings,
  type Principal,
  weekdays,
} from '@sluice/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eq } from '../../platform/db/drizzle.ts'
import type { Client } from '../../testing/client.ts'
import { eventually } from '../../testing/eventually.ts'
import { startMailServer } from '../../testing/mail-server.ts'
import { blueGreen, pausingBeforeShifts } from '../../testing/strategies.ts'
import { type Received, startStubServer } from '../../testing/stub-server.ts'
import { startWorld, type TestOrganization, type World } from '../../testing/world.ts'
import { insertDeliveries, listDeliveries } from '../notification-deliveries/store.ts'
import { notificationDeliveries } from '../notification-deliveries/tables.ts'
import { countImmediate, findSettings } from '../people/store.ts'
import { wakeChannels } from './store.ts'

const consoleUrl = 'https://sluice.example.com'
const opened: AsyncDisposable[] = []
let world: World
let mail: Awaited<ReturnType<typeof startMailServer>>
beforeAll(async () => {
  mail = await startMailServer()
  opened.push(mail)
  const mailing = { SLUICE_SMTP_URL: mail.url, SLUICE_MAIL_FROM: 'Sluice <sluice@example.com>' }
  const env = { SLUICE_OUTBOUND_ALLOW: '127.0.0.1', SLUICE_PUBLIC_URL: consoleUrl, ...mailing }
  world = await startWorld({ env })
})
afterAll(async () => {
  for (const one of opened) await one[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

async function receiver(answer?: Parameters<typeof startStubServer>[0]) {
  const server = await startStubServer(answer)
  opened.push(server)
  return server
}

const key = 'R0123456789abcdef0123456789abcde'

const channel = ({ client }: TestOrganization, data: object) =>
  client.done<NotificationChannelWithSecret>('POST', '/notification-channels', {
    data: { name: 'On call', events: ['deployment.failed'], ...data },
  })

const apiError = async ({ client }: TestOrganization, path: string, data: object) => {
  const { status, body } = await client.ask(path.endsWith('channels') ? 'POST' : 'PATCH', path, { data })
  return [status, JSON.stringify(body)]
}

const delivered = async ({ client }: TestOrganization, { id }: { id: string }) => {
  const { id: deliveryId } = await client.done<NotificationDelivery>('POST', `/notification-channels/${id}/test`)
  return eventually(
    `${deliveryId} to be delivered`,
    () => client.done<NotificationDelivery>('GET', `/notification-deliveries/${deliveryId}`),
    ({ status }) => status === 'DELIVERED',
  )
}

/** Returns quiet hours that include the current time. */
function aroundNow() {
  const timeOfDay = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16)
  return { from: timeOfDay(-1), until: timeOfDay(3), days: weekdays }
}

const sentTo = ({ received }: { received: Received[] }) => received.map(({ body }) => JSON.parse(body))

/** Returns the mails to a member, with soft line breaks removed. */
const mailsTo = (email: string) =>
  mail.received.filter(({ to }) => to.includes(email)).map(({ content }) => content.replaceAll('=\r\n', ''))
const mailTo = (email: string, words: string) =>
  eventually(
    `a mail to ${email}: ${words}`,
    async () => mailsTo(email).filter((content) => content.includes(words)),
    ({ length }) => length > 0,
  ).then(([first = '']) => first)
const emailOf = async (client: Client) => (await client.done<Principal>('GET', '/auth/whoami')).email
const settings = (client: Client, data: object) =>
  client.done<NotificationSettings>('PATCH', '/notification-settings', { data })

describe.concurrent('a member', () => {
  test('gets mail about what they started until they unsubscribe with the link, and others do not', async () => {
    const org = await world.organization()
    const [ann, bob] = [await org.member('ADMIN'), await org.member('ADMIN')]
    const { moduleInstanceId } = await org.service(pausingBeforeShifts(blueGreen))
    const body = { data: { moduleInstanceId, description: 'Two', inputs: { image_ref: 'shop/app:2' } } }
    const { id } = await ann.done<{ id: string }>('POST', '/deployments', body)
    const email = await emailOf(ann)
    const told = await mailTo(email, 'waits for a person')
    expect(told).toContain(`${consoleUrl}/console/deployments/${id}`)
    expect(mailsTo(await emailOf(bob))).toEqual([])
    expect(await org.client.done('GET', '/notification-channels')).toEqual([])

    const headers = told.replaceAll(/\r\n\s+/g, ' ')
    expect(headers).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click')
    const path = /^List-Unsubscribe: <https:\/\/sluice\.example\.com(\/unsubscribe\/[^>]+)>/m.exec(headers)?.[1] ?? ''
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const post = (to: string) =>
      fetch(world.url + to, { method: 'POST', headers: form, body: 'List-Unsubscribe=One-Click' })
    expect((await fetch(world.url + path)).status).toBe(200)
    expect((await post(`${path.slice(0, -4)}AAAA`)).status).toBe(404)
    expect(await ann.done('GET', '/notification-settings')).toMatchObject({ enabled: true, isMailSetUp: true })
    expect([(await post(path)).status, (await post(path)).status]).toEqual([200, 200])
    expect(await ann.done('GET', '/notification-settings')).toMatchObject({ enabled: false })
    const lines = await org.client.done<AuditEvent[]>('GET', '/audit-events?action=notification-settings.update')
    expect(lines).toMatchObject([{ actorName: email, details: { enabled: false } }])
  })

  test('who can approve gets mail about pending approvals, and others do not', async () => {
    const org = await world.organization()
    const [ann, bob] = [await org.member('DEVELOPER'), await org.member('DEVELOPER')]
    const { id: teamId } = await org.client.done<{ id: string }>('POST', '/teams', { data: { name: 'Ops' } })
    const { membershipId: memberId } = await ann.done<Principal>('GET', '/auth/whoami')
    await org.client.done('POST', '/team-members', { data: { teamId, memberId } })
    await org.client.done('POST', '/approval-rules', { data: { name: 'Production', teamIds: [teamId] } })
    const { moduleInstanceId } = await org.service()
    await org.deploy(moduleInstanceId)
    await mailTo(await emailOf(ann), 'waits for approval')
    expect(mailsTo(await emailOf(bob))).toEqual([])
    expect(mailsTo(await emailOf(org.client))).toEqual([])
  })

  test('who can approve a pipeline version gets mail once a run waits for it, and others do not', async () => {
    const org = await world.organization()
    const [ann, bob] = [await org.member('DEVELOPER'), await org.member('DEVELOPER')]
    const { id: teamId } = await org.client.done<{ id: string }>('POST', '/teams', { data: { name: 'Security' } })
    const { membershipId: memberId } = await ann.done<Principal>('GET', '/auth/whoami')
    await org.client.done('POST', '/team-members', { data: { teamId, memberId } })
    const asks = {
      guards: 'PIPELINE_VERSIONS',
      expression: 'false',
      message: 'Security looks.',
      effect: 'REQUIRE_APPROVAL',
    }
    const approval = { requiredApprovals: 1, teamIds: [teamId], excludeStarter: false }
    await org.client.done('POST', '/policies', { data: { name: 'Seen by Security', ...asks, approval } })
    const pipeline = await org.pipelines.create({ steps: [{ id: 'ask', type: 'approval' }] })
    const runs = [await org.pipelines.start(pipeline.id), await org.pipelines.start(pipeline.id)]
    const told = await mailTo(await emailOf(ann), 'waits for its version to be approved')
    expect(runs.some(({ id }) => told.includes(`${consoleUrl}/console/runs/${id}`))).toBe(true)
    const [version] = await ann.done<{ id: string }[]>('GET', `/pipeline-versions?pipelineId=${pipeline.id}`)
    await ann.done('POST', `/pipeline-versions/${version?.id}/approve`, { data: {} })
    for (const { id } of runs) await org.pipelines.untilStep(id, 'ask', 'PENDING_APPROVAL')
    // The step now waits for approval; its mail comes after all those about the version.
    await mailTo(await emailOf(ann), 'waits for approval')
    const ofVersion = mailsTo(await emailOf(ann)).filter((content) => content.includes('waits for its version'))
    expect(ofVersion).toHaveLength(1)
    expect(mailsTo(await emailOf(bob)).filter((content) => content.includes('waits for its version'))).toEqual([])
  })

  test('gets mail about followed projects outside quiet hours, if they still have access', async () => {
    const org = await world.organization()
    const [ann, bob] = [await org.member('DEVELOPER'), await org.member('DEVELOPER')]
    const { moduleInstanceId } = await org.service()
    const { projectId } = await org.client.done<{ projectId: string }>('GET', `/module-instances/${moduleInstanceId}`)
    const follow = { topics: ['FOLLOWED'], projectIds: [projectId], events: ['deployment.succeeded'] }
    await settings(ann, { ...follow, quietHours: [aroundNow()] })
    await settings(bob, follow)
    await org.untilStatus((await org.deploy(moduleInstanceId)).id, 'SUCCESS')
    await mailTo(await emailOf(bob), 'is live')
    const rowOf = async (client: Client) => {
      const { membershipId } = await client.done<Principal>('GET', '/auth/whoami')
      return (
        (await findSettings(world.db, { organizationId: org.id, membershipId })) ?? Promise.reject(new Error('none'))
      )
    }
    const [row, other] = [await rowOf(ann), await rowOf(bob)]
    const atOnce = { channelIds: [row.id, other.id], since: new Date(Date.now() - 3_600_000) }
    expect([...(await countImmediate(world.db, org.id, atOnce))]).toEqual([[other.id, 1]])
    await org.client.done('PATCH', `/projects/${projectId}`, { data: { visibility: 'MEMBERS' } })
    await settings(ann, { quietHours: [] })
    const page = { limit: 10, before: undefined }
    const { rows } = await eventually(
      'it to be given up',
      () => listDeliveries(world.db, row, { status: 'FAILED', withLines: true }, page),
      ({ rows }) => rows.length > 0,
    )
    expect(rows).toMatchObject([{ attempts: [{ error: expect.stringContaining('can no longer see') }] }])
    expect(mailsTo(await emailOf(ann))).toEqual([])
  })

  test('gets the notifications of their team once, by their own settings, even if they follow the project themselves', async () => {
    const org = await world.organization()
    const [ann, bob, eve] = [
      await org.member('DEVELOPER'),
      await org.member('DEVELOPER'),
      await org.member('DEVELOPER'),
    ]
    const teamOf = async (name: string, ...members: Client[]) => {
      const { id: teamId } = await org.client.done<{ id: string }>('POST', '/teams', { data: { name } })
      for (const one of members) {
        const { membershipId: memberId } = await one.done<Principal>('GET', '/auth/whoami')
        await org.client.done('POST', '/team-members', { data: { teamId, memberId } })
      }
      return channel(org, { name, kind: 'TEAM_MEMBERS', teamId, events: ['deployment.succeeded'] })
    }
    const made = await teamOf('Ops', ann, bob, eve)
    await teamOf('Web', ann)
    await settings(ann, { topics: ['FOLLOWED'], events: ['deployment.succeeded'] })
    await settings(bob, { topics: [], digest: 'DAILY' })
    await settings(eve, { enabled: false })
    const { moduleInstanceId } = await org.service()
    const { id } = await org.deploy(moduleInstanceId)
    await org.untilStatus(id, 'SUCCESS')
    await mailTo(await emailOf(ann), 'is live')
    const told = await world.db.select().from(notificationDeliveries).where(eq(notificationDeliveries.recordId, id))
    const rowOf = async (client: Client) => {
      const { membershipId } = await client.done<Principal>('GET', '/auth/whoami')
      return (await findSettings(world.db, { organizationId: org.id, membershipId }))?.id
    }
    expect(told.map(({ channelId, isHeldBack }) => [channelId, isHeldBack]).toSorted()).toEqual(
      [
        [await rowOf(ann), false],
        [await rowOf(bob), true],
      ].toSorted(),
    )
    await delivered(org, made)
    expect(mailsTo(await emailOf(bob))).toMatchObject([expect.stringContaining('A test of the channel Ops')])
    expect(mailsTo(await emailOf(eve))).toEqual([])
    const elsewhere = { name: 'x', kind: 'TEAM_MEMBERS', events: [], teamId: 'team_01h455vb4pex5vsknk084sn02q' }
    const [status, refused] = await apiError(org, '/notification-channels', elsewhere)
    expect([status, refused]).toEqual([422, expect.stringContaining('REFERENCE_NOT_FOUND')])
  })

  test('cannot follow a project that is hidden from them', async () => {
    const org = await world.organization()
    const ann = await org.member('DEVELOPER')
    const { id } = await org.client.done<{ id: string }>('POST', '/projects', {
      data: { name: 'Secret', givenId: 'secret', visibility: 'MEMBERS' },
    })
    const { status, body } = await ann.ask('PATCH', '/notification-settings', { data: { projectIds: [id] } })
    expect([status, body]).toMatchObject([422, { code: 'Sluice:Request:REFERENCE_NOT_FOUND' }])
  })
})

describe.concurrent('a channel', () => {
  test.each(['SLACK', 'TEAMS'] as const)(
    'of kind %s gets its own message format and never returns its secret address',
    async (kind) => {
      const [org, server] = [await world.organization(), await receiver(() => ({ text: 'ok' }))]
      const made = await channel(org, { kind, url: `${server.url}/hook/secret-part` })
      expect([made.url, made.secret]).toEqual([undefined, undefined])
      await delivered(org, made)
      const [{ path, headers }] = server.received as [Received]
      expect([path, headers['content-type']]).toEqual(['/hook/secret-part', 'application/json'])
      expect(Object.keys(headers).filter((name) => name.startsWith('webhook-'))).toEqual([])
      const [message] = sentTo(server)
      expect(message).toMatchObject(kind === 'SLACK' ? { blocks: [{ type: 'header' }, {}] } : { type: 'message' })
      await org.client.done('PATCH', `/notification-channels/${made.id}`, {
        data: { url: `${server.url}/hook/secret-too` },
      })
      await delivered(org, made)
      expect(server.received[1]?.path).toBe('/hook/secret-too')
      const shown = await Promise.all([
        org.client.done('GET', '/notification-channels'),
        org.client.done('GET', `/notification-channels/${made.id}/deliveries`),
        org.client.done<AuditEvent[]>('GET', `/audit-events?resourceId=${made.id}`),
      ])
      expect(JSON.stringify(shown)).not.toContain('secret-')
    },
  )

  test('for PagerDuty triggers an alert for a pause and resolves it when the release ends', async () => {
    const [org, server] = [await world.organization(), await receiver(() => ({ status: 202 }))]
    const made = await channel(org, {
      kind: 'PAGERDUTY',
      url: server.url,
      routingKey: key,
      events: ['deployment.paused'],
    })
    expect(made).toMatchObject({ url: server.url })
    expect(JSON.stringify(made)).not.toContain(key)
    const { moduleInstanceId } = await org.service(pausingBeforeShifts(blueGreen))
    const { id } = await org.deploy(moduleInstanceId)
    await org.untilPaused(id)
    await org.continueToEnd(id)
    await eventually(
      'both to be told',
      async () => sentTo(server),
      ({ length }) => length === 2,
    )
    expect(sentTo(server)).toMatchObject([
      {
        routing_key: key,
        event_action: 'trigger',
        dedup_key: id,
        client_url: `${consoleUrl}/console/deployments/${id}`,
      },
      { routing_key: key, event_action: 'resolve', dedup_key: id },
    ])
  })

  test('for PagerDuty does not resolve what it never triggered', async () => {
    const [org, server, other] = [await world.organization(), await receiver(), await receiver()]
    await channel(org, { kind: 'PAGERDUTY', url: server.url, routingKey: key })
    await channel(org, { url: other.url, events: ['deployment.succeeded'] })
    const { moduleInstanceId } = await org.service()
    const { id } = await org.deploy(moduleInstanceId)
    await org.untilStatus(id, 'SUCCESS')
    await eventually(
      'the other to be told',
      async () => other.received,
      ({ length }) => length === 1,
    )
    expect(server.received).toEqual([])
  })

  test('is rejected if it lacks a required address or has an unsupported one', async () => {
    const org = await world.organization()
    const events = ['deployment.failed']
    const path = '/notification-channels'
    expect(await apiError(org, path, { name: 'One', events, kind: 'SLACK' })).toEqual([
      400,
      expect.stringContaining('$.data.url: expected one for SLACK'),
    ])
    const { id } = await channel(org, { url: 'https://hooks.example.com/' })
    expect(await apiError(org, `${path}/${id}`, { routingKey: key })).toEqual([
      400,
      expect.stringContaining('$.data.routingKey: expected none for WEBHOOK'),
    ])
  })

  test('for mail sends plain text with a link to members and addresses', async () => {
    const org = await world.organization()
    const { email, membershipId } = await org.client.done<Principal>('GET', '/auth/whoami')
    const address = `${org.id}@example.com`
    const made = await channel(org, {
      kind: 'EMAIL',
      recipients: [membershipId, address],
      events: ['deployment.succeeded'],
    })
    expect(made.recipients).toEqual([membershipId, address])
    const { moduleInstanceId } = await org.service()
    const { id } = await org.deploy(moduleInstanceId)
    const [first] = await eventually(
      'the mail to arrive',
      async () => mail.received.filter(({ to }) => to.includes(address)),
      ({ length }) => length === 1,
    )
    expect(first?.to.toSorted()).toEqual([address, String(email)].toSorted())
    const { attempts, id: deliveryId } = await eventually(
      'it to be written down',
      async () =>
        (await org.client.done<NotificationDelivery[]>('GET', `/notification-channels/${made.id}/deliveries`))[0],
      (one) => one?.status === 'DELIVERED',
    ).then((one) => one ?? Promise.reject(new Error('there is no delivery')))
    expect(attempts).toMatchObject([{ status: 250 }])
    for (const part of [
      'From: Sluice <sluice@example.com>',
      `Message-ID: <${deliveryId}@example.com>`,
      `In-Reply-To: <${id}@example.com>`,
      'Auto-Submitted: auto-generated',
      'Content-Type: text/plain',
    ])
      expect(first?.content).toContain(part)
    expect(first?.content.replaceAll('=\r\n', '')).toContain(`${consoleUrl}/console/deployments/${id}`)
  })

  test('for mail reports the response of the mail server for rejected recipients', async () => {
    const org = await world.organization()
    const [taken, refused] = [`${org.id}@example.com`, `${org.id}@refused.example.com`]
    const made = await channel(org, { kind: 'EMAIL', recipients: [taken, refused] })
    expect((await delivered(org, made)).attempts[0]?.answer).toContain(`Not taken for ${refused}.`)
    await org.client.done('PATCH', `/notification-channels/${made.id}`, { data: { recipients: [refused] } })
    const { id } = await org.client.done<NotificationDelivery>('POST', `/notification-channels/${made.id}/test`)
    const tried = await eventually(
      'it to be tried',
      () => org.client.done<NotificationDelivery>('GET', `/notification-deliveries/${id}`),
      (one) => one.attempts.length > 0,
    )
    expect(tried).toMatchObject({
      status: 'PENDING',
      attempts: [{ status: 550, answer: expect.stringContaining('No such mailbox') }],
    })
  })

  test('that fails is reported to the owners by mail once, even if it is the only channel', async () => {
    const [org, server] = [await world.organization(), await receiver(() => ({ status: 410 }))]
    const { email } = await org.client.done<Principal>('GET', '/auth/whoami')
    await org.member('ADMIN')
    const { id } = await channel(org, { url: server.url, name: 'Chat' })
    await org.client.done('POST', `/notification-channels/${id}/test`)
    const deliveries = () =>
      org.client.done<NotificationDelivery[]>('GET', `/notification-channels/${id}/deliveries?status=DELIVERED`)
    const told = await eventually('the owners to be told', deliveries, ({ length }) => length > 0)
    expect(told).toMatchObject([{ payload: { type: 'channel.broken' }, attempts: [{ status: 250 }] }])
    expect(await org.client.done('GET', `/notification-channels/${id}`)).toMatchObject({
      enabled: false,
      brokenSince: expect.any(String),
      disabledReason: expect.stringContaining('410'),
    })
    const [mailed, ...more] = mail.received.filter(({ to }) => to.includes(String(email)))
    expect([mailed?.to, more]).toEqual([[email], []])
    expect(mailed?.content).toContain('Subject: A notification channel is broken')
    expect(mailed?.content.replaceAll('=\r\n', '')).toContain('The channel Chat is broken.')
    expect(server.received).toHaveLength(1)
  })

  test('in quiet hours gets all delayed notifications afterwards in one message, which is the same at each attempt', async () => {
    const answers = [{ status: 500 }, { text: 'ok' }]
    const [org, server] = [await world.organization(), await receiver(() => answers.shift() ?? { text: 'ok' })]
    const data = { kind: 'SLACK', url: server.url, events: [] }
    const made = await channel(org, { ...data, quietHours: [aroundNow()] })
    const { moduleInstanceId } = await org.service()
    await org.untilStatus((await org.deploy(moduleInstanceId)).id, 'SUCCESS')
    const list = () => org.client.done<NotificationDelivery[]>('GET', `/notification-channels/${made.id}/deliveries`)
    const both = await eventually('both to wait', list, ({ length }) => length === 2)
    expect(both).toMatchObject(both.map(() => ({ status: 'PENDING', isHeldBack: true, attempts: [] })))
    expect(both.every(({ nextAttemptAt = '' }) => Date.parse(nextAttemptAt) > Date.now() + 60_000)).toBe(true)
    await org.client.done('PATCH', `/notification-channels/${made.id}`, { data: { quietHours: [] } })
    await eventually('the first attempt', list, (all) => all.some(({ digestId, attempts }) => digestId && attempts[0]))
    const told = await eventually(
      'the second attempt',
      list,
      (all) => all.every(({ status }) => status === 'DELIVERED'),
      20_000,
    )
    const together = told.filter(({ digestId }) => digestId !== undefined)
    expect(together.map(({ digestId, attempts }) => [digestId, attempts.length])).toEqual(
      both.map(() => [both.at(-1)?.id, 2]),
    )
    const digests = sentTo(server).filter(({ text }) => text === '2 things have happened')
    expect(digests).toHaveLength(2)
    expect(digests[1]).toEqual(digests[0])
  })

  test('in quiet hours gets critical notifications at once, after delayed ones of the same record', async () => {
    const [org, server] = [await world.organization(), await receiver(() => ({ text: 'ok' }))]
    const made = await channel(org, { kind: 'SLACK', url: server.url, events: [], quietHours: [aroundNow()] })
    const { moduleInstanceId } = await org.service()
    const { id } = await org.deploy(moduleInstanceId)
    await org.untilStatus(id, 'SUCCESS')
    const [waiting] = await eventually(
      'the start and the end to wait',
      () => org.client.done<NotificationDelivery[]>('GET', `/notification-channels/${made.id}/deliveries`),
      ({ length }) => length === 2,
    )
    if (!waiting) throw new Error('nothing waits')
    const payload = { ...waiting.payload, type: 'deployment.failed' as const }
    const failed = { channelId: made.id, recordId: id, eventId: `${id}.failed`, payload }
    await world.db.transaction(async (tx) => {
      await insertDeliveries(tx, org.id, [failed], new Date())
      await wakeChannels(tx, org.id, [made.id], new Date())
    })
    const texts = await eventually(
      'all to be told',
      async () => sentTo(server).map(({ text }) => String(text).split(' ').slice(-2).join(' ')),
      (all) => all.includes('has failed'),
    )
    expect(texts).toEqual(['have happened', 'has failed'])
  })

  test('for mail does not send to members of other organizations', async () => {
    const [org, other] = [await world.organization(), await world.organization()]
    const { membershipId } = await other.client.done<Principal>('GET', '/auth/whoami')
    const data = { name: 'One', kind: 'EMAIL', events: ['deployment.failed'], recipients: [membershipId] }
    const { status, body } = await org.client.ask('POST', '/notification-channels', { data })
    expect([status, body]).toMatchObject([422, { code: 'Sluice:Request:REFERENCE_NOT_FOUND' }])
  })

  test('that is no webhook has no secret to rotate and explains how to change its address', async () => {
    const org = await world.organization()
    const { id } = await channel(org, { kind: 'SLACK', url: 'https://hooks.example.com/' })
    const { status, body } = await org.client.ask('POST', `/notification-channels/${id}/rotate-secret`)
    expect([status, body]).toMatchObject([
      422,
      { code: 'Sluice:NotificationChannels:UNSIGNED', message: expect.stringContaining('PATCH') },
    ])
  })

  test('for chat cannot use an address in the server’s own network', async () => {
    const org = await world.organization()
    const { id } = await channel(org, { kind: 'TEAMS', url: 'http://10.1.2.3/hook' })
    const { id: deliveryId } = await org.client.done<NotificationDelivery>('POST', `/notification-channels/${id}/test`)
    const { attempts } = await eventually(
      'it to be tried',
      () => org.client.done<NotificationDelivery>('GET', `/notification-deliveries/${deliveryId}`),
      (one) => one.attempts.length > 0,
    )
    expect(attempts[0]?.error).toContain('is not on the public internet')
  })
})
