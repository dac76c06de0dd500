import { setTimeout as sleep } from 'node:timers/promises'
import type { AuditEvent, Deployment, Policy } from '@sluice/contract'
import { failures } from '@sluice/contract'
import { expect, test } from 'vitest'
import { eventually } from '../src/testing/eventually.ts'
import { eventsOf, type World } from '../src/testing/world.ts'
import { startCrashWorld } from './crash-world.ts'
import { PatientClient } from './patient-client.ts'
import { Random } from './random.ts'
import { quickMs, User } from './user.ts'

/** Delays between a request or an approval and the kill, in milliseconds. */
const delays = [0, 60]
const patience = 60_000

test('a release under a policy is approved and released once, and never after a policy that denies it meanwhile', async () => {
  const { service, cloud, people } = await startCrashWorld({ speed: 1_200, people: settle })
  const { client, other, moduleInstanceId } = people
  const user = new User(client, new Random(1), quickMs)
  const no = { guards: 'DEPLOYMENTS', moduleInstanceId, expression: 'false' }
  const makePolicy = (more: object) => client.done<Policy>('POST', '/policies', { data: { ...no, ...more } })
  const asking = await makePolicy({ name: 'Ask first', message: 'Somebody looks at it.', effect: 'REQUIRE_APPROVAL' })
  const linesOf = (resourceId: string, action: string) =>
    client.done<AuditEvent[]>('GET', `/audit-events?resourceId=${resourceId}&action=${action}`)
  const updates = () => cloud.calls({ operation: 'UpdateService', accepted: true, limit: 1_000 })
  const dieAndForget = async () => {
    await service.kill('service and engine')
    await service.forgetEngine()
    service.start()
  }

  /** Creates a release that waits for approval, although the service dies during the request. */
  const waitingRelease = async (tag: string, delay: number | undefined) => {
    const asked = user.deploy(moduleInstanceId, `shop/app:${tag}`)
    if (delay !== undefined) {
      await sleep(delay) // time of the kill
      await dieAndForget()
    }
    const { id } = await asked
    const isAsking = (one: Deployment) => whatItWaitsFor(one).length > 0
    const waiting = await eventually('the release to wait for approval', () => user.get(id), isAsking, patience)
    expect([waiting.status, waiting.startedAt]).toEqual(['PENDING', undefined])
    return id
  }
  const approve = (id: string) => other.ask('POST', `/deployments/${id}/approve`)

  for (const [index, delay] of delays.entries()) {
    const id = await waitingRelease(`${index}`, delay)
    const decided = approve(id)
    await sleep(delay) // time of the kill
    await dieAndForget()
    expect([200, 422], 'heard once').toContain((await decided).status)
    const ended = await user.follow(id)
    expect(ended, `killed after ${delay} ms`).toMatchObject({ status: 'SUCCESS' })
    expect(whatItWaitsFor(ended), 'asked once').toHaveLength(1)
    expect(await client.done('GET', `/deployments/${id}/approvals`), 'decided once').toHaveLength(1)
    expect(await linesOf(id, 'deployments.approve')).toHaveLength(1)
    expect(await updates(), 'released once').toHaveLength(index + 1)
  }

  // The engine is frozen, so that nothing starts between the decision and the policy that denies it.
  const id = await waitingRelease('denied', undefined)
  await service.freezeEngine()
  expect((await approve(id)).status).toBe(200)
  expect((await user.get(id)).status).toBe('PENDING')
  const denying = await makePolicy({ name: 'Not now', message: 'The shop is down.' })
  await dieAndForget()
  expect(await user.follow(id)).toMatchObject({
    status: 'CANCELLED',
    error: { code: failures.releaseStoppedByPolicy.code, metadata: { policyId: denying.id } },
  })
  expect(await linesOf(denying.id, 'policies.deny')).toHaveLength(1)
  expect(await updates()).toHaveLength(delays.length)
  expect(await linesOf(asking.id, 'policies.deny')).toEqual([])
  expect(await user.list()).toHaveLength(delays.length + 1)
  expect(service.kills).toBe(2 * delays.length + 1)
  expect(service.ownEnds).toEqual([])
})

const whatItWaitsFor = (one: Deployment) =>
  eventsOf(one).filter(({ message }) => message?.includes('by the rule “Ask first”'))

async function settle(world: World) {
  const organization = await world.organization({ delivery: false })
  const { moduleInstanceId } = await organization.service(null)
  const { token } = await organization.member('DEVELOPER')
  return {
    client: new PatientClient(world.url, organization.client.token),
    other: new PatientClient(world.url, token),
    moduleInstanceId,
  }
}
