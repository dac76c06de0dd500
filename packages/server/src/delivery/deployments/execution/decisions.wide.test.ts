import type { Decision } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Client } from '../../../testing/client.ts'
import { addMember } from '../../../testing/members.ts'
import { blueGreen, pausing } from '../../../testing/strategies.ts'
import { startWorld, type TestOrganization, type World } from '../../../testing/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

async function decisionsOf({ client }: TestOrganization, id: string): Promise<Decision[]> {
  const { body } = await client.ask('GET', `/deployments/${id}?include=decisions`)
  return (body as { included: { decisions: Decision[] } }).included.decisions
}

const kindsOf = (decisions: Decision[]) => decisions.map(({ kind }) => kind)

test('the audit log names who continued a release and how, for users who can see it', async () => {
  const org = await world.organization()
  const { moduleInstanceId } = await org.service(pausing(blueGreen, ['PRE_SCALE_UP']))
  const { id } = await org.deploy(moduleInstanceId)
  const hookId = await org.untilPaused(id)
  const developer = new Client(world.url, await addMember(world.db, org.id, 'DEVELOPER'))
  const { status } = await developer.send('POST', `/deployments/${id}/continue`, {
    json: '{"data":{}}',
    headers: { 'user-agent': 'sluice-cli' },
  })
  expect(status).toBe(200)
  await org.untilStatus(id, 'SUCCESS')

  const decisions = await decisionsOf(org, id)
  expect(kindsOf(decisions)).toEqual(['CREATED', 'CONTINUED', 'ENDED'])
  expect(decisions[0]).toMatchObject({
    actor: { type: 'MEMBERSHIP', name: expect.stringMatching(/^owner@/) },
    channel: 'API',
  })
  expect(decisions[1]).toMatchObject({
    actor: { type: 'MEMBERSHIP', name: expect.stringMatching(/^developer-/) },
    channel: 'CLI',
    hookId,
    lifecycleStage: 'PRE_SCALE_UP',
  })
  expect(decisions[2]).toMatchObject({ actor: { type: 'SERVICE', name: 'Sluice' } })
  const { body } = await org.client.ask('GET', `/deployments/${id}`)
  expect(body).toEqual({ data: expect.objectContaining({ id }) })
  expect((await org.client.ask('GET', `/deployments/${id}?include=secrets`)).status).toBe(400)
})

test('the audit log names who cancelled a deployment, and which deployment superseded one', async () => {
  const org = await world.organization({ deploy: { concurrency: { queue_size: 1, queue_overflow: 'oldest' } } })
  const { moduleInstanceId } = await org.service(pausing(blueGreen, ['PRE_SCALE_UP']))
  const running = await org.deploy(moduleInstanceId)
  await org.untilPaused(running.id)
  const waiting = await org.deploy(moduleInstanceId, 'shop/app:3')
  const newer = await org.deploy(moduleInstanceId, 'shop/app:4')
  await org.cancel(newer.id)

  const gaveWay = await decisionsOf(org, waiting.id)
  expect(kindsOf(gaveWay)).toEqual(['CREATED', 'SUPERSEDED'])
  const actor = { type: 'MEMBERSHIP', name: expect.stringMatching(/^owner@/) }
  expect(gaveWay[1]).toMatchObject({ supersededById: newer.id, actor })
  expect(await decisionsOf(org, newer.id)).toMatchObject([{ kind: 'CREATED' }, { kind: 'CANCELLED', actor }])
})

test('a pause that times out is continued by Sluice, which the audit log says', async () => {
  const org = await world.organization()
  const { moduleInstanceId } = await org.service(
    pausing(blueGreen, ['PRE_SCALE_UP'], { timeout_in_minutes: 1_200, timeout_action: 'CONTINUE' }),
  )
  const { id } = await org.deploy(moduleInstanceId)
  await org.untilPaused(id)
  await world.cloud.advance(1_200 * 60)
  await org.untilStatus(id, 'SUCCESS')
  const [, expired] = await decisionsOf(org, id)
  expect(expired).toMatchObject({
    kind: 'PAUSE_EXPIRED',
    actor: { type: 'SERVICE' },
    channel: 'SERVICE',
    reason: 'The time to decide was over.',
  })
})
