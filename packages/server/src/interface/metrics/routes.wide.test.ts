import { afterAll, beforeAll, expect, test } from 'vitest'
import { users } from '../../identity/organizations/tables.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { eventually } from '../../testing/eventually.ts'
import { canary, pausingBeforeShifts } from '../../testing/strategies.ts'
import { startWorld, type World } from '../../testing/world.ts'

const token = 'prometheus'.repeat(4)
let world: World

beforeAll(async () => {
  world = await startWorld({ env: { SLUICE_METRICS_TOKEN: token } })
})
afterAll(() => world[Symbol.asyncDispose]())

const metrics = (key?: string) =>
  fetch(`${world.url}/metrics`, { headers: key === undefined ? {} : { authorization: `Bearer ${key}` } })

/** Returns the value of a line by its name and labels. */
const valueIn = (text: string, line: string): number | undefined => {
  const found = text.split('\n').find((one) => one.startsWith(`${line} `))
  return found === undefined ? undefined : Number(found.slice(line.length + 1))
}

test('they require the token or a superadmin', async () => {
  expect((await metrics()).status).toBe(401)
  expect((await metrics(`${token}x`)).status).toBe(401)
  const { status, headers } = await metrics(token)
  expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])

  const { client } = await world.organization()
  expect((await metrics(client.token)).status).toBe(403)
  const { userId } = await client.done<{ userId: string }>('GET', '/auth/whoami')
  await world.db.update(users).set({ globalRole: 'SUPERADMIN' }).where(eq(users.id, userId))
  const statusOfSuperadmin = async () => (await metrics(client.token)).status
  await eventually('a superadmin to read metrics', statusOfSuperadmin, (seen) => seen === 200)
})

test('active work and requests to the cloud are counted', async () => {
  const org = await world.organization()
  const { moduleInstanceId } = await org.service(pausingBeforeShifts(canary))
  const { id } = await org.deploy(moduleInstanceId)
  await org.untilPaused(id)
  const inProgress = 'sluice_records{kind="deployment",detail="cloud:ecs",status="IN_PROGRESS"}'
  const asked = async () => (await metrics(token)).text()
  const countInProgress = async () => valueIn(await asked(), inProgress)
  await eventually('the deployment to be counted', countInProgress, (count) => count === 1)
  const paused = await asked()
  const update = 'sluice_cloud_call_duration_seconds_count{service="ECS",operation="UpdateService",result="ok"}'
  expect(valueIn(paused, update)).toBe(1)
  expect(
    valueIn(paused, 'sluice_engine_message_duration_seconds_count{object="deployment",result="ok"}'),
  ).toBeGreaterThan(0)
  const accepted = 'sluice_http_request_duration_seconds_count{method="POST",route="/deployments",status="201"}'
  expect(valueIn(paused, accepted)).toBe(1)
  expect(paused).not.toContain(id)
  await org.client.done('POST', `/deployments/${id}/cancel`)
  await org.untilStatus(id, 'ROLLED_BACK')
})

test('a rejected call is distinguished from a throttled one', async () => {
  const org = await world.organization()
  const { moduleInstanceId } = await org.service()
  await org.fault({ operation: 'DescribeServices', kind: 'throttle', times: 1 })
  await org.untilStatus((await org.deploy(moduleInstanceId)).id, 'SUCCESS')
  const text = await (await metrics(token)).text()
  const throttled =
    'sluice_cloud_call_duration_seconds_count{service="ECS",operation="DescribeServices",result="throttled"}'
  expect(valueIn(text, throttled)).toBeGreaterThanOrEqual(1)
})

test('an unknown path creates no series of its own', async () => {
  await fetch(`${world.url}/never-heard-of`)
  expect(await (await metrics(token)).text()).not.toContain('never-heard-of')
})
