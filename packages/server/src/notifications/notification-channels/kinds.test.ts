import type { AuditEvent, NotificationChannelWithSecret, NotificationDelivery, Principal } from '@sluice/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Received, startAnsweringServer } from '../../testing/answering-server.ts'
import { eventually } from '../../testing/eventually.ts'
import { startMailServer } from '../../testing/mail-server.ts'
import { blueGreen, pausingBeforeShifts } from '../../testing/strategies.ts'
import { startWorld, type TestOrganization, type World } from '../../testing/world.ts'

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

async function receiver(answer?: Parameters<typeof startAnsweringServer>[0]) {
  const server = await startAnsweringServer(answer)
  opened.push(server)
  return server
}

const key = 'R0123456789abcdef0123456789abcde'

const channel = ({ client }: TestOrganization, data: object) =>
  client.done<NotificationChannelWithSecret>('POST', '/notification-channels', {
    data: { name: 'On call', events: ['deployment.failed'], ...data },
  })

const refusal = async ({ client }: TestOrganization, path: string, data: object) => {
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

const sentTo = ({ received }: { received: Received[] }) => received.map(({ body }) => JSON.parse(body))

describe.concurrent('a channel', () => {
  test.each(['SLACK', 'TEAMS'] as const)(
    'of the kind %s is told in its own words, at an address that is shown to nobody',
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

  test('at PagerDuty is told of a pause by a trigger, and of the end of the release by a resolve of the same alert', async () => {
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

  test('at PagerDuty is not told of the end of what it was told nothing of', async () => {
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

  test('is refused without what it is reached by, and with what it is not', async () => {
    const org = await world.organization()
    const events = ['deployment.failed']
    const path = '/notification-channels'
    expect(await refusal(org, path, { name: 'One', events, kind: 'SLACK' })).toEqual([
      400,
      expect.stringContaining('$.data.url: expected one for SLACK'),
    ])
    const { id } = await channel(org, { url: 'https://hooks.example.com/' })
    expect(await refusal(org, `${path}/${id}`, { routingKey: key })).toEqual([
      400,
      expect.stringContaining('$.data.routingKey: expected none for WEBHOOK'),
    ])
  })

  test('by mail is sent a plain text with a link, to members and to addresses', async () => {
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

  test('by mail says what the mail server said of those whom it does not take', async () => {
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

  test('that is broken is told of by mail to the owners, once, also where it is the only one', async () => {
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
      ...{ enabled: false, brokenSince: expect.any(String), disabledReason: expect.stringContaining('410') },
    })
    const [mailed, ...more] = mail.received.filter(({ to }) => to.includes(String(email)))
    expect([mailed?.to, more]).toEqual([[email], []])
    expect(mailed?.content).toContain('Subject: A notification channel is broken')
    expect(mailed?.content.replaceAll('=\r\n', '')).toContain('The channel Chat is broken.')
    expect(server.received).toHaveLength(1)
  })

  test('by mail writes to nobody who is a member elsewhere', async () => {
    const [org, other] = [await world.organization(), await world.organization()]
    const { membershipId } = await other.client.done<Principal>('GET', '/auth/whoami')
    const data = { name: 'One', kind: 'EMAIL', events: ['deployment.failed'], recipients: [membershipId] }
    const { status, body } = await org.client.ask('POST', '/notification-channels', { data })
    expect([status, body]).toMatchObject([422, { code: 'Sluice:Request:REFERENCE_NOT_FOUND' }])
  })

  test('that is no webhook has no secret to rotate, and is told how to change its address', async () => {
    const org = await world.organization()
    const { id } = await channel(org, { kind: 'SLACK', url: 'https://hooks.example.com/' })
    const { status, body } = await org.client.ask('POST', `/notification-channels/${id}/rotate-secret`)
    expect([status, body]).toMatchObject([
      422,
      { code: 'Sluice:NotificationChannels:UNSIGNED', message: expect.stringContaining('PATCH') },
    ])
  })

  test('of a chat is sent nothing on the network of the service', async () => {
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
