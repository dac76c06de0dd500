import { randomUUID } from 'node:crypto'
import { type CloudEvent, eventSecretHeader } from '@sluice/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { Client } from '../../testing/client.ts'
import { eventually } from '../../testing/eventually.ts'
import { blueGreen, pausing } from '../../testing/strategies.ts'
import { sharedWorld, type TestOrganization, type World } from '../../testing/world.ts'
import { deployments } from '../deployments/store/tables.ts'
import { relevanceOf } from './relevance.ts'
import { infrastructureEvents } from './tables.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})

type Event = Record<string, unknown>

/** Returns the cloud's event for a change of a service deployment. */
const deploymentChanged = (account: string, serviceArn: string, change: Event = {}): Event => ({
  version: '0',
  id: randomUUID(),
  'detail-type': 'ECS Deployment State Change',
  source: 'aws.ecs',
  account,
  time: new Date().toISOString(),
  region: 'eu-west-1',
  resources: [serviceArn],
  detail: { eventType: 'INFO', eventName: 'SERVICE_DEPLOYMENT_IN_PROGRESS' },
  ...change,
})

const eventOf = (source: string, detailType: string): CloudEvent => ({
  id: randomUUID(),
  'detail-type': detailType,
  source,
  account: '123456789012',
  time: new Date().toISOString(),
  region: 'eu-west-1',
  resources: [],
  detail: {},
})

function send(org: TestOrganization, event: unknown, secret: string | undefined = org.eventSecret) {
  const headers = secret === undefined ? {} : { [eventSecretHeader]: secret }
  return new Client(world.url, '').send('POST', `/cloud-accounts/${org.cloudAccountId}/events`, {
    json: typeof event === 'string' ? event : JSON.stringify(event),
    headers: secret === '' ? {} : headers,
  })
}

const storedFor = async ({ id }: TestOrganization) =>
  world.db.select().from(infrastructureEvents).where(eq(infrastructureEvents.organizationId, id))

/** Creates a paused deployment in an account without events. */
async function paused() {
  const org = await world.organization({ delivery: false })
  const { moduleInstanceId, serviceArn } = await org.service(pausing(blueGreen, ['PRE_SCALE_UP']))
  const { id } = await org.deploy(moduleInstanceId)
  await org.untilPaused(id)
  return { org, id, serviceArn }
}

const writesOf = async (id: string): Promise<number> => {
  const [row] = await world.db.select().from(deployments).where(eq(deployments.id, id))
  return row?.revision ?? -1
}

describe.concurrent('an event from the cloud', () => {
  const place = 'eu-west-1:123456789012'
  const service = `arn:aws:ecs:${place}:service/shop/web`
  test(
    'of ECS is stored with its service',
    everyCase(
      [
        ['ECS Deployment State Change', { resources: [service] }],
        [
          'ECS Hook State Change',
          { resources: [`arn:aws:ecs:${place}:service-deployment/shop/web/x`], detail: { serviceArn: service } },
        ],
        ['ECS Service Action', { resources: [service] }],
        [
          'ECS Task State Change',
          {
            resources: [`arn:aws:ecs:${place}:task/shop/x`],
            detail: { group: 'service:web', clusterArn: `arn:aws:ecs:${place}:cluster/shop` },
          },
        ],
      ],
      async (detailType, about) => {
        const org = await world.organization({ delivery: false })
        const event = deploymentChanged(org.accountNumber, 'x', { 'detail-type': detailType, ...about })

        expect(await send(org, event)).toMatchObject({ status: 202, body: { data: { accepted: true } } })

        expect(await storedFor(org)).toMatchObject([
          {
            cloudAccountId: org.cloudAccountId,
            externalEventId: event.id,
            source: 'aws.ecs',
            detailType,
            resourceArn: service,
            event,
          },
        ])
      },
    ),
  )

  test(
    'of Auto Scaling concerns its group',
    everyCase(
      [
        [
          'aws.autoscaling',
          'EC2 Instance Launch Successful',
          'arn:aws:autoscaling:eu-west-1:123456789012:group',
          'soon',
        ],
        [
          'aws.autoscaling',
          'EC2 Instance Terminate Successful',
          'arn:aws:autoscaling:eu-west-1:123456789012:group',
          'soon',
        ],
      ] as const,
      (source, detailType, arn, urgency) => {
        const event = {
          ...eventOf(source, detailType),
          resources: [arn, 'arn:aws:ec2:eu-west-1:123456789012:instance/i-1'],
        }
        expect(relevanceOf(event)).toEqual({ resourceArn: arn, urgency })
      },
    ),
  )

  test.each([
    ['EC2 Command Status-change Notification', 'workers-deploy', { groupName: 'workers', urgency: 'now' }],
    ['EC2 Command Invocation Status-change Notification', 'workers-deploy', { groupName: 'workers', urgency: 'soon' }],
    ['EC2 Command Status-change Notification', 'AWS-RunShellScript', undefined],
  ])('%s of %s', (detailType, document, expected) => {
    const event = { ...eventOf('aws.ssm', detailType), detail: { 'document-name': document } }
    expect(relevanceOf(event)).toEqual(expected && { ...expected, region: 'eu-west-1' })
  })

  test('that arrives twice is stored once', async () => {
    const org = await world.organization({ delivery: false })
    const event = deploymentChanged(org.accountNumber, 'x')

    const answers = await Promise.all([send(org, event), send(org, event), send(org, event)])

    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202])
    expect(await storedFor(org)).toHaveLength(1)
  })

  test("about another organization's service triggers nothing there", async () => {
    const [stranger, concerned] = await Promise.all([paused(), paused()])
    // The other organization's service in an event with the sender's own account and secret.
    const foreign = () => deploymentChanged(stranger.org.accountNumber, concerned.serviceArn)
    const own = () => deploymentChanged(stranger.org.accountNumber, stranger.serviceArn)

    /** Returns how often the concerned deployment was polled until an event that the sender sent later was handled. */
    async function looksMeanwhile(): Promise<number> {
      const [before, strangersBefore] = [await writesOf(concerned.id), await writesOf(stranger.id)]
      expect((await send(stranger.org, foreign())).status).toBe(202)
      await send(stranger.org, own())
      await eventually(
        'the stranger’s to look',
        () => writesOf(stranger.id),
        (writes) => writes > strangersBefore,
      )
      return (await writesOf(concerned.id)) - before
    }

    // The deployment is also polled by its timer, less and less often: that may fall into one round, but not into every
    // one.
    await eventually('a round in which nothing looked', looksMeanwhile, (looks) => looks === 0)
    expect(await storedFor(concerned.org)).toEqual([])
  })

  test('about a finished deployment changes nothing', async () => {
    const { org, id, serviceArn } = await paused()
    await org.cancel(id)
    const over = await org.untilStatus(id, 'ROLLED_BACK')

    await send(org, deploymentChanged(org.accountNumber, serviceArn))

    expect(await org.get(id)).toEqual(over)
  })

  test('without a deployment is stored', async () => {
    const org = await world.organization({ delivery: false })
    const events = [
      deploymentChanged(org.accountNumber, 'arn:aws:ecs:eu-west-1:123456789012:service/any/unknown'),
      deploymentChanged(org.accountNumber, 'x', {
        source: 'aws.s3',
        'detail-type': 'Object Created',
        extra: { own: 1 },
      }),
      deploymentChanged(org.accountNumber, 'x', { resources: [] }),
    ]

    for (const event of events) expect((await send(org, event)).status).toBe(202)

    expect((await storedFor(org)).map(({ event }) => event)).toEqual(expect.arrayContaining(events))
  })
})

describe.concurrent('an event is rejected', () => {
  test.each([
    ['a wrong secret', 'no-secret-of-anybody'],
    ['no secret', ''],
  ])('with %s', async (_what, secret) => {
    const org = await world.organization({ delivery: false })

    expect(await send(org, deploymentChanged(org.accountNumber, 'x'), secret)).toMatchObject({
      status: 401,
      body: { code: 'Sluice:CloudEvents:SECRET_INVALID' },
    })
    expect(await storedFor(org)).toEqual([])
  })

  test('with the secret of another account', async () => {
    const [org, other] = [await world.organization({ delivery: false }), await world.organization({ delivery: false })]

    expect((await send(org, deploymentChanged(org.accountNumber, 'x'), other.eventSecret)).status).toBe(401)
  })

  test('for an unknown cloud account', async () => {
    const org = await world.organization({ delivery: false })
    const json = JSON.stringify(deploymentChanged(org.accountNumber, 'x'))
    const headers = { [eventSecretHeader]: org.eventSecret }

    const answer = await new Client(world.url, '').send('POST', '/cloud-accounts/ca_nowhere/events', { json, headers })

    expect(answer.status).toBe(401)
  })

  test('from another account than that of the secret', async () => {
    const org = await world.organization({ delivery: false })

    expect(await send(org, deploymentChanged('999999999999', 'x'))).toMatchObject({
      status: 422,
      body: { code: 'Sluice:CloudEvents:ACCOUNT_MISMATCH' },
    })
    expect(await storedFor(org)).toEqual([])
  })

  test.each([
    ['not JSON', 'garbage', 'Sluice:Request:MALFORMED_JSON'],
    ['a list', '[]', 'Sluice:Request:INVALID'],
    ['an empty object', '{}', 'Sluice:Request:INVALID'],
  ])('that is %s', async (_what, json, code) => {
    const org = await world.organization({ delivery: false })

    expect(await send(org, json)).toMatchObject({ status: 400, body: { code } })
  })

  test('with the path of every error in its envelope', async () => {
    const org = await world.organization({ delivery: false })
    const event = deploymentChanged('12', 'x', { time: 'yesterday', resources: 'x', detail: null })

    const { status, body } = await send(org, event)

    expect(status).toBe(400)
    const items = (body as { details: { items: string[] }[] }).details.flatMap((section) => section.items)
    expect(items.map((item) => item.split(':')[0]).toSorted()).toEqual([
      '$.account',
      '$.detail',
      '$.resources',
      '$.time',
    ])
  })
})
