import type { Deployment, DeploymentQueue } from '@sluice/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { blueGreen, pausing } from '../../../testing/strategies.ts'
import { sharedWorld, stepsOf, type TestOrganization, type World } from '../../../testing/world.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})

type Concurrency = { queue_size?: number; queue_overflow?: 'oldest' | 'newest' | 'reject' }

/** Creates an organization with a service whose first release is paused. */
async function busy(concurrency?: Concurrency) {
  const org = await world.organization(concurrency && { deploy: { concurrency } })
  const { moduleInstanceId } = await org.service(pausing(blueGreen, ['PRE_SCALE_UP']))
  const running = await org.deploy(moduleInstanceId)
  await org.untilPaused(running.id)
  return { org, moduleInstanceId, running }
}

const askToDeploy = (org: TestOrganization, moduleInstanceId: string) =>
  org.client.ask('POST', '/deployments', {
    data: { moduleInstanceId, description: 'One too many', inputs: { image_ref: 'shop/app:9' } },
  })

const superseded = (by: string) => ({
  status: 'CANCELLED',
  completedAt: expect.any(String),
  error: {
    code: 'Sluice:Deployments:SUPERSEDED',
    message: expect.stringContaining(by),
    metadata: { supersededByDeploymentId: by },
  },
})

describe.concurrent('the queue of a module instance', () => {
  test('runs one release at a time, in the order of requests', async () => {
    const org = await world.organization({ deploy: { concurrency: { queue_size: 10, queue_overflow: 'reject' } } })
    const { moduleInstanceId } = await org.service()

    const accepted: Deployment[] = []
    for (let version = 2; version < 6; version++)
      accepted.push(await org.deploy(moduleInstanceId, `shop/app:${version}`))
    const done = await Promise.all(accepted.map(({ id }) => org.untilStatus(id, 'SUCCESS')))

    for (const [index, { startedAt = '' }] of done.entries()) {
      expect(startedAt >= (done[index - 1]?.completedAt ?? '')).toBe(true)
    }
    const updates = await org.calls('UpdateService', { accepted: true })
    const revisions = updates.map(({ request }) => (request as { taskDefinition: string }).taskDefinition.slice(-2))
    expect(revisions).toEqual([':2', ':3', ':4', ':5'])
  })

  test('says what a deployment waits behind, and for how long', async () => {
    const { org, moduleInstanceId, running } = await busy({ queue_size: 10 })
    const first = await org.deploy(moduleInstanceId)
    const second = await org.deploy(moduleInstanceId)
    const queueOf = async ({ id }: Pick<Deployment, 'id'>) => {
      const { body } = await org.client.ask('GET', `/deployments/${id}?include=queue`)
      return (body as { included: { queue: DeploymentQueue } }).included.queue
    }
    expect((await queueOf(first)).ahead).toEqual([running.id])
    const waiting = await queueOf(second)
    expect(waiting.ahead).toEqual([running.id, first.id])
    expect((await queueOf(second)).waitedMs, 'it still waits').toBeGreaterThan(waiting.waitedMs)
    const { ahead, waitedMs } = await queueOf(running)
    expect(ahead).toEqual([])
    const { startedAt = '' } = await org.get(running.id)
    expect(waitedMs).toBe(Date.parse(startedAt) - Date.parse(running.createdAt))
  })

  test('runs one release at a time also if all are requested at once', async () => {
    const org = await world.organization({ deploy: { concurrency: { queue_size: 10 } } })
    const { moduleInstanceId } = await org.service()

    const accepted = await Promise.all(Array.from({ length: 5 }, () => org.deploy(moduleInstanceId)))
    const done = await Promise.all(accepted.map(({ id }) => org.untilStatus(id, 'SUCCESS')))

    const spans = done.map(({ startedAt = '', completedAt = '' }) => ({ startedAt, completedAt }))
    spans.sort((a, b) => a.startedAt.localeCompare(b.startedAt))
    for (const [index, { startedAt }] of spans.entries()) {
      expect(startedAt >= (spans[index - 1]?.completedAt ?? '')).toBe(true)
    }
    expect(await org.calls('UpdateService', { accepted: true })).toHaveLength(5)
  })

  test('reports which deployment a queued one waits for, and nothing for one that can start', async () => {
    const { org, moduleInstanceId, running } = await busy({ queue_size: 3 })
    const second = await org.deploy(moduleInstanceId, 'shop/app:3')
    const third = await org.deploy(moduleInstanceId, 'shop/app:4')

    expect(stepsOf(await org.get(running.id))).not.toContain('QUEUED')
    const messageOf = ({ data }: Deployment) => data?.events?.find(({ stepCode }) => stepCode === 'QUEUED')?.message
    expect(messageOf(second)).toBe(`It waits until ${running.id} is over.`)
    expect(messageOf(third)).toBe(`It waits until ${running.id} is over, and one more that comes before it.`)

    await org.continueToEnd(running.id)
    const done = await org.continueToEnd(second.id)
    expect(done.status).toBe('SUCCESS')
    expect(stepsOf(done).slice(0, 3)).toEqual(['QUEUED', 'INIT', 'REGISTER_RELEASE'])
    await org.untilPaused(third.id) // a rollback goes before queued deployments
    const back = await org.rollback(second.id)
    expect(messageOf(back)).toContain(third.id)
  })

  test('is separate: another instance does not wait', async () => {
    const { org, running } = await busy()
    const other = await org.service()

    const { id } = await org.deploy(other.moduleInstanceId)

    await org.untilStatus(id, 'SUCCESS')
    expect((await org.get(running.id)).status).toBe('IN_PROGRESS')
  })

  test('holds one deployment by default, and a newer one supersedes it', async () => {
    const { org, moduleInstanceId, running } = await busy()
    const second = await org.deploy(moduleInstanceId, 'shop/app:3')
    const third = await org.deploy(moduleInstanceId, 'shop/app:4')

    expect(second.status).toBe('PENDING')
    expect(third.status).toBe('PENDING')
    const gone = await org.get(second.id)
    expect(gone).toMatchObject(superseded(third.id))
    expect(gone.startedAt).toBeUndefined()
    expect(stepsOf(gone)).toEqual(['QUEUED', 'CANCELLED'])

    expect((await org.continueToEnd(running.id)).status).toBe('SUCCESS')
    expect((await org.continueToEnd(third.id)).status).toBe('SUCCESS')
    const registered = await org.calls('RegisterTaskDefinition')
    expect(JSON.stringify(registered)).not.toContain('shop/app:3')
  })

  test('with oldest and size 2, holds two deployments', async () => {
    const { org, moduleInstanceId } = await busy({ queue_size: 2, queue_overflow: 'oldest' })
    const [a, b, c] = [
      await org.deploy(moduleInstanceId),
      await org.deploy(moduleInstanceId),
      await org.deploy(moduleInstanceId),
    ]

    expect(await org.get(a.id)).toMatchObject(superseded(c.id))
    expect(await org.get(b.id)).toMatchObject({ status: 'PENDING' })
    expect(await org.get(c.id)).toMatchObject({ status: 'PENDING' })
  })

  test('with newest, supersedes a late deployment at once', async () => {
    const { org, moduleInstanceId, running } = await busy({ queue_size: 1, queue_overflow: 'newest' })
    const second = await org.deploy(moduleInstanceId)

    const third = await org.deploy(moduleInstanceId)

    expect(third).toMatchObject(superseded(second.id))
    await org.continueToEnd(running.id)
    expect((await org.continueToEnd(second.id)).status).toBe('SUCCESS')
  })

  test.each([
    [{ queue_size: 1, queue_overflow: 'reject' }, 1],
    [{ queue_size: 0, queue_overflow: 'reject' }, 0],
    [{ queue_size: 0, queue_overflow: 'oldest' }, 0],
  ] as const)('with %o, rejects a late deployment and stores nothing of it', async (concurrency, waiting) => {
    const { org, moduleInstanceId } = await busy(concurrency)
    for (let n = 0; n < waiting; n++) await org.deploy(moduleInstanceId)

    expect(await askToDeploy(org, moduleInstanceId)).toMatchObject({
      status: 422,
      body: { code: 'Sluice:Deployments:QUEUE_FULL' },
    })
    const { body } = await org.client.ask('GET', '/deployments')
    expect(body).toMatchObject({ meta: { totalCount: 1 + waiting } })
  })

  test('of size 0 admits one of many concurrent requests to an idle instance', async () => {
    const org = await world.organization({ deploy: { concurrency: { queue_size: 0, queue_overflow: 'reject' } } })
    const { moduleInstanceId } = await org.service(pausing(blueGreen, ['PRE_SCALE_UP']))

    const answers = await Promise.all(Array.from({ length: 8 }, () => askToDeploy(org, moduleInstanceId)))

    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(7).fill(422)])
    const { body } = await org.client.ask('GET', `/audit-events?action=deployments.create`)
    expect(body).toMatchObject({ meta: { totalCount: 1 } })
  })

  test('continues after a failed release', async () => {
    const org = await world.organization()
    const { moduleInstanceId } = await org.service()
    const bad = await org.deploy(moduleInstanceId, 'shop/app:2-crash')
    const good = await org.deploy(moduleInstanceId, 'shop/app:3')

    expect((await org.untilStatus(bad.id, 'ROLLED_BACK')).completedAt).toEqual(expect.any(String))
    await org.untilStatus(good.id, 'SUCCESS')
  })

  test('continues after a cancelled release, and after one that was cancelled while queued', async () => {
    const { org, moduleInstanceId, running } = await busy({ queue_size: 2 })
    const second = await org.deploy(moduleInstanceId)
    const third = await org.deploy(moduleInstanceId)

    await org.cancel(second.id)
    await org.cancel(running.id)

    await org.untilStatus(running.id, 'ROLLED_BACK')
    expect((await org.continueToEnd(third.id)).status).toBe('SUCCESS')
    expect(await org.get(second.id)).toMatchObject({ status: 'CANCELLED' })
  })
})
