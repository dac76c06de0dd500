import { PutMetricDataCommand } from '@aws-sdk/client-cloudwatch'
import { CreateLogGroupCommand, CreateLogStreamCommand, PutLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs'
import {
  apiErrors,
  type ModuleInstanceLogLine,
  type ModuleInstanceLogPage,
  type ModuleInstanceMetrics,
} from '@sluice/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { createInstance, createProject, publishModule } from '../../../demo/organization.ts'
import { eventually } from '../../testing/eventually.ts'
import { sharedWorld, type TestOrganization, type World } from '../../testing/world.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})

const logGroupName = '/shop/web'
const source = {
  type: 'cloud_monitor',
  cloud_account_id: '<< module.input.account >>',
  region: 'eu-west-1',
}

/** Creates an instance with two logs and two metrics, by default of its own organization's account. */
async function monitored(org: TestOrganization, account = org.cloudAccountId): Promise<string> {
  const view = (id: string, filter_pattern?: string) => ({
    id,
    name: id,
    source: { ...source, log_group: logGroupName, log_stream_prefix: 'web/', filter_pattern },
  })
  const metric = (id: string, name: string) => ({
    id,
    name: id,
    type: 'line',
    source: { ...source, namespace: 'Shop', name, statistic: 'Sum', dimensions: { Service: 'web' } },
  })
  const config = {
    inputs: [{ id: 'account', label: 'Account', type: 'string' }],
    ui: {
      logs: [view('all'), view('errors', 'ERROR')],
      metrics: [metric('orders', 'Orders'), metric('failures', 'Failures')],
    },
  }
  const module = { type: `m-${Math.random()}`, name: 'Monitored', description: 'Shows itself.', config }
  const version = await publishModule(world.db, org.id, module)
  const wish = { givenId: `p${Date.now()}-${Math.floor(Math.random() * 1e9)}`, name: 'P', environmentNames: ['live'] }
  const { projectId, environmentIds } = await createProject(world.db, org.id, wish)
  const place = { organizationId: org.id, projectId, environmentId: environmentIds[0] ?? '' }
  return createInstance(world.db, { ...place, version, givenId: 'web', name: 'Web', input: { account } })
}

async function openStream({ clients: { logs } }: TestOrganization, logStreamName = 'web/1') {
  await logs.send(new CreateLogGroupCommand({ logGroupName }))
  await logs.send(new CreateLogStreamCommand({ logGroupName, logStreamName }))
  return (...lines: [at: number, message: string][]) =>
    logs.send(
      new PutLogEventsCommand({
        logGroupName,
        logStreamName,
        logEvents: lines.map(([timestamp, message]) => ({ timestamp, message })),
      }),
    )
}

const read = async ({ client }: TestOrganization, path: string): Promise<ModuleInstanceLogPage> => {
  const { status, body } = await client.ask('GET', path)
  expect(status, JSON.stringify(body)).toBe(200)
  return body as ModuleInstanceLogPage
}

const messages = ({ data }: { data: ModuleInstanceLogLine[] }) => data.map(({ message }) => message)

describe.concurrent('the log of a module instance', () => {
  test('is read newest lines first, page by page to its beginning', async () => {
    const org = await world.organization({ delivery: false })
    const id = await monitored(org)
    const put = await openStream(org)
    const now = Date.now()
    const lines = Array.from({ length: 25 }, (_, n): [number, string] => [now - 25_000 + n * 1_000, `line ${n}`])
    await put(...lines)
    const seen: string[] = []
    let cursor = ''
    do {
      const page = await read(org, `/module-instances/${id}/logs?limit=10${cursor && `&cursor=${cursor}`}`)
      expect(page.data.length).toBeLessThanOrEqual(10)
      seen.push(...messages(page))
      cursor = page.meta.nextCursor
    } while (cursor)
    expect(seen).toEqual(lines.map(([, message]) => message).toReversed())
  })

  test('is filtered by source, pattern and time', async () => {
    const org = await world.organization({ delivery: false })
    const id = await monitored(org)
    const put = await openStream(org)
    const now = Date.now()
    await put([now - 40 * 60_000, 'ERROR early'], [now - 3_000, 'ERROR late'], [now - 2_000, 'all is well'])
    const path = `/module-instances/${id}/logs`
    expect(messages(await read(org, path))).toEqual(['all is well', 'ERROR late', 'ERROR early'])
    expect(messages(await read(org, `${path}?sourceId=errors`))).toEqual(['ERROR late', 'ERROR early'])
    expect(messages(await read(org, `${path}?sourceId=errors&filter=well`))).toEqual(['all is well'])
    const halfAnHourAgo = new Date(now - 30 * 60_000).toISOString()
    expect(messages(await read(org, `${path}?startTime=${halfAnHourAgo}`))).toEqual(['all is well', 'ERROR late'])
    expect(messages(await read(org, `${path}?endTime=${halfAnHourAgo}`))).toEqual(['ERROR early'])
  })

  test('has empty pages if the cloud has to search for long', async () => {
    const org = await world.organization({ delivery: false })
    const id = await monitored(org)
    const put = await openStream(org)
    const now = Date.now()
    await put([now - 20 * 3_600_000, 'old'])
    const path = `/module-instances/${id}/logs?startTime=${new Date(now - 86_400_000).toISOString()}`
    const first = await read(org, path)
    expect(first.data).toEqual([])
    expect(first.meta.nextCursor).not.toBe('')
    let page = first
    while (page.data.length === 0) page = await read(org, `${path}&cursor=${page.meta.nextCursor}`)
    expect(messages(page)).toEqual(['old'])
  })

  test('of an instance without logs is empty', async () => {
    const org = await world.organization({ delivery: false })
    const { moduleInstanceId } = await org.service()
    const page = await read(org, `/module-instances/${moduleInstanceId}/logs`)
    expect(page).toEqual({ data: [], meta: { limit: 20, nextCursor: '' } })
  })

  test('that cannot be read is rejected with a remedy', async () => {
    const org = await world.organization({ delivery: false })
    const id = await monitored(org)
    const refused = async (path: string, key: keyof typeof apiErrors, words: string) => {
      const { status, body } = await org.client.ask('GET', path)
      expect({ status, body }).toMatchObject({
        status: apiErrors[key].status,
        body: { code: apiErrors[key].code, message: expect.stringContaining(words) },
      })
    }
    const path = `/module-instances/${id}/logs`
    await refused('/module-instances/nobody/logs', 'moduleInstanceNotFound', 'nobody')
    await refused(`${path}?sourceId=none`, 'monitorSourceNotFound', 'all, errors')
    await refused(path, 'monitorSourceRefused', 'ResourceNotFoundException') // the log group does not exist yet
    await refused(`${path}?startTime=2020-01-01T00:00:00Z`, 'requestInvalid', 'The request is invalid')
    await openStream(org)
    const { meta } = await read(org, `${path}?limit=1`)
    await refused(`${path}?cursor=${meta.nextCursor || 'none'}x`, 'cursorInvalid', 'nextCursor')
    await org.fault({ kind: 'throttle', operation: 'FilterLogEvents', times: 1 })
    await refused(path, 'cloudUnreachable', 'ThrottlingException')
    await org.deny('logs:FilterLogEvents')
    await refused(path, 'monitorSourceRefused', 'AccessDenied')
  })

  test('is not read with the account of another organization', async () => {
    const [org, other] = await Promise.all([
      world.organization({ delivery: false }),
      world.organization({ delivery: false }),
    ])
    const put = await openStream(other)
    await put([Date.now(), 'a secret'])
    const id = await monitored(org, other.cloudAccountId)
    const { status, body } = await org.client.ask('GET', `/module-instances/${id}/logs`)
    expect({ status, body }).toMatchObject({ status: 422, body: { code: apiErrors.monitorSourceNotConnected.code } })
  })
})

/** Reads a stream until `isEnough` accepts its events, and returns all events so far. */
async function follow(org: TestOrganization, path: string, isEnough: (events: string[]) => boolean, lastEventId = '') {
  const ending = new AbortController()
  const headers = { authorization: `Bearer ${org.client.token}`, ...(lastEventId && { 'last-event-id': lastEventId }) }
  const answer = await fetch(`${world.url}${path}`, { headers, signal: ending.signal })
  expect(answer.headers.get('content-type')).toContain('text/event-stream')
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of answer.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true })
    if (isEnough(text.split('\n\n'))) break
  }
  ending.abort()
  return text.split('\n\n').slice(0, -1)
}

describe.concurrent('following the log of a module instance', () => {
  test('returns new lines, oldest first, and continues after a lost connection', async () => {
    const org = await world.organization({ delivery: false })
    const id = await monitored(org)
    const put = await openStream(org)
    await put([Date.now() - 60_000, 'before'])
    const path = `/module-instances/${id}/logs/stream?sourceId=all`
    const lines = (events: string[]) => events.filter((event) => event.startsWith('id: '))
    const opened = Promise.withResolvers<void>()
    const following = follow(org, path, (events) => {
      opened.resolve()
      return lines(events).length >= 2
    })
    await opened.promise
    const now = Date.now()
    await put([now, 'one'], [now + 1, 'two'])
    const events = lines(await following)
    const told = events.map((event) => JSON.parse(event.split('data: ')[1] ?? '') as ModuleInstanceLogLine)
    expect(told.map(({ message }) => message)).toEqual(['one', 'two'])
    const [firstId] = /^id: (.+)$/m.exec(events[0] ?? '')?.slice(1) ?? []
    const again = await follow(org, path, (seen) => lines(seen).length >= 1, firstId)
    expect(lines(again).map((event) => event.includes('"two"'))).toEqual([true])
  })

  test('is limited to ten logs at a time, regardless of their number of followers', async () => {
    const org = await world.organization({ delivery: false })
    const id = await monitored(org)
    await openStream(org)
    const ending = new AbortController()
    const open = (filter: string, { signal } = ending) =>
      fetch(`${world.url}/module-instances/${id}/logs/stream?sourceId=all&filter=${filter}`, {
        headers: { authorization: `Bearer ${org.client.token}` },
        signal,
      })
    const leaving = new AbortController()
    const opened = await Promise.all([
      open('word0', leaving),
      ...Array.from({ length: 9 }, (_, n) => open(`word${n + 1}`)),
    ])
    expect(opened.map(({ status }) => status)).toEqual(Array(10).fill(200))
    expect((await open('word9')).status).toBe(200) // it is followed already
    const refused = await open('word10')
    expect([refused.status, await refused.json()]).toEqual([
      apiErrors.rateLimited.status,
      expect.objectContaining({ code: apiErrors.rateLimited.code }),
    ])
    leaving.abort()
    const again = () => open('word10').then(({ status }) => status)
    await eventually('the place of who left to be free', again, (status) => status === 200)
    ending.abort()
  })

  test('reports an error and continues after it', async () => {
    const org = await world.organization({ delivery: false })
    const id = await monitored(org)
    await openStream(org)
    await org.fault({ kind: 'server-error', operation: 'FilterLogEvents', times: 1 })
    const events = await follow(org, `/module-instances/${id}/logs/stream`, (seen) =>
      seen.some((event) => event.startsWith('event: trouble')),
    )
    expect(events.find((event) => event.startsWith('event: trouble'))).toContain(apiErrors.cloudUnreachable.code)
  })

  test('ends at once without a log', async () => {
    const org = await world.organization({ delivery: false })
    const { moduleInstanceId } = await org.service()
    const events = await follow(org, `/module-instances/${moduleInstanceId}/logs/stream`, () => false)
    expect(events.map((event) => event.split('\n')[0])).toEqual([': the log of a module instance', 'event: end'])
  })
})

describe.concurrent('the metrics of a module instance', () => {
  const ask = async (org: TestOrganization, path: string) => {
    const { status, body } = await org.client.ask('GET', path)
    expect(status, JSON.stringify(body)).toBe(200)
    return body as ModuleInstanceMetrics
  }
  const minute = 60_000

  test("are the cloud's points, oldest first, of all or of the named metrics", async () => {
    const org = await world.organization({ delivery: false })
    const id = await monitored(org)
    const now = Math.floor(Date.now() / minute) * minute
    const datum = { MetricName: 'Orders', Dimensions: [{ Name: 'Service', Value: 'web' }] }
    const values: [ago: number, value: number][] = [
      [2, 5],
      [3, 7],
      [3, 1],
    ]
    const MetricData = values.map(([ago, Value]) => ({ ...datum, Value, Timestamp: new Date(now - ago * minute) }))
    await org.clients.metrics.send(new PutMetricDataCommand({ Namespace: 'Shop', MetricData }))
    const all = await ask(org, `/module-instances/${id}/metrics`)
    expect(all.meta.periodSeconds).toBe(60)
    expect(all.data).toEqual([
      {
        id: 'orders',
        name: 'orders',
        type: 'line',
        points: [
          { timestamp: new Date(now - 3 * minute).toISOString(), value: 8 },
          { timestamp: new Date(now - 2 * minute).toISOString(), value: 5 },
        ],
      },
      { id: 'failures', name: 'failures', type: 'line', points: [] },
    ])
    const coarse = await ask(org, `/module-instances/${id}/metrics?metricId=orders&periodSeconds=86400`)
    expect(coarse.data.flatMap(({ points }) => points).reduce((sum, { value }) => sum + value, 0)).toBe(13)
    expect(await org.calls('GetMetricData')).toHaveLength(2)
  })

  test('each have their own reason if they cannot be read', async () => {
    const org = await world.organization({ delivery: false })
    const id = await monitored(org)
    await org.deny('cloudwatch:GetMetricData', 'monitoring:GetMetricData')
    const { data } = await ask(org, `/module-instances/${id}/metrics`)
    expect(data.map(({ error }) => error?.code)).toEqual(data.map(() => apiErrors.monitorSourceRefused.code))
    const unknown = await org.client.ask('GET', `/module-instances/${id}/metrics?metricId=none`)
    expect(unknown).toMatchObject({ status: 404, body: { code: apiErrors.monitorSourceNotFound.code } })
  })
})
