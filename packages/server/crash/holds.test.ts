import { setTimeout as sleep } from 'node:timers/promises'
import type { Deployment, DeploymentSource, Hold, ModuleInstance, PromotionRule } from '@sluice/contract'
import { expect, test } from 'vitest'
import { eventually } from '../src/testing/eventually.ts'
import { eventsOf, type TestOrganization, type World } from '../src/testing/world.ts'
import { KillAfterCallWatcher } from './moments.ts'
import { createAccountUsers, releasesPerKill, startObservedEnvironment } from './parties.ts'
import { PatientClient } from './patient-client.ts'

/** Time limit in milliseconds, for several starts of the service on a busy machine. */
const patienceMs = 60_000
/** Delays between the request to lift a hold and the kill, in milliseconds. */
const delays = [0, 10, 30, 60]
/** Delays between an approval and the kill, in milliseconds. Each release needs two approvals. */
const approvalDelays = [0, 30]

test('queued releases start once they are lifted or approved, although the service and its engine die before', async () => {
  const { service, cloud, parties } = await startHeld(1)
  const [{ user, client, other, moduleInstanceId }] = parties
  let releases = 0

  const heldRelease = async () => {
    const held = await client.done<Hold>('POST', '/holds', { data: { moduleInstanceId, reason: 'Prices are wrong.' } })
    releases += 1
    const { id } = await user.deploy(moduleInstanceId, `shop/app:${releases}`)
    const isHeld = (one: Awaited<ReturnType<typeof user.get>>) =>
      eventsOf(one).some(({ message }) => message?.includes(held.id))
    await eventually('the release to be held', () => user.get(id), isHeld, patienceMs)
    return { held, id }
  }
  const find = ({ id }: Hold) => client.done<Hold>('GET', `/holds/${id}`)
  /** Lifts a hold. The response may be lost with the service. */
  const ask = ({ id }: Hold) =>
    user.client.ask('POST', `/holds/${id}/lift`, { data: { reason: 'Prices are right.' } }).catch(() => undefined)
  const dieAndForget = async () => {
    await service.kill('service and engine')
    await service.forgetEngine()
    service.start()
  }
  const expectReleased = async (id: string) => {
    expect(await user.follow(id)).toMatchObject({ status: 'SUCCESS' })
    const updates = await cloud.calls({ operation: 'UpdateService', accepted: true, limit: 1_000 })
    expect(updates).toHaveLength(releases)
  }

  // The engine is frozen, so that nothing starts before the kill: only the row shows that the release may start.
  const surely = await heldRelease()
  await service.freezeEngine()
  const asked = ask(surely.held)
  await eventually(
    'it to be let go',
    () => find(surely.held),
    ({ liftedAt }) => liftedAt !== undefined,
    patienceMs,
  )
  expect((await user.get(surely.id)).status).toBe('PENDING')
  await dieAndForget()
  await asked
  await expectReleased(surely.id)

  for (const delay of delays) {
    const { held, id } = await heldRelease()
    const asked = ask(held)
    await sleep(delay) // time of the kill
    await dieAndForget()
    await asked
    if ((await find(held)).liftedAt === undefined) await ask(held)
    await expectReleased(id)
  }
  expect(service.kills).toBe(1 + delays.length)

  const data = { name: 'Two of us', moduleInstanceId, requiredApprovals: 2 }
  await client.done('POST', '/approval-rules', { data })
  /**
   * Kills the service around an approval, which is repeated until there is a response. A repeated approval is rejected
   * if the first one was saved.
   */
  const approveAndDie = async (id: string, by: PatientClient, delay: number) => {
    const asked = by.ask('POST', `/deployments/${id}/approve`)
    await sleep(delay) // time of the kill
    await dieAndForget()
    expect([200, 422]).toContain((await asked).status)
  }
  for (const delay of approvalDelays) {
    releases += 1
    const { id } = await user.deploy(moduleInstanceId, `shop/app:${releases}`)
    const isAsking = (one: Awaited<ReturnType<typeof user.get>>) =>
      eventsOf(one).some(({ message }) => message?.includes('waits for approval'))
    await eventually('the release to wait for approval', () => user.get(id), isAsking, patienceMs)
    await approveAndDie(id, other, delay)
    const isCounted = (one: Awaited<ReturnType<typeof user.get>>) =>
      eventsOf(one).some(({ message }) => message?.includes('1 of 2'))
    const waiting = await eventually('one approval to be counted', () => user.get(id), isCounted, patienceMs)
    expect([waiting.status, waiting.startedAt]).toEqual(['PENDING', undefined])
    await approveAndDie(id, client, delay)
    await expectReleased(id)
    expect(await client.done('GET', `/deployments/${id}/approvals`)).toHaveLength(2)
  }
  expect(service.kills).toBe(1 + delays.length + 2 * approvalDelays.length)
})

test('an instance is held once after a rollback, whichever call was the last before a kill', async () => {
  const moments = new KillAfterCallWatcher()
  const { service, parties } = await startHeld(releasesPerKill, moments)
  const ruled = parties.map(async ({ user, client, moduleInstanceId }) => {
    await user.follow((await user.deploy(moduleInstanceId, 'shop/app:good')).id)
    const { environmentId } = await client.done<Hold>('GET', `/module-instances/${moduleInstanceId}`)
    await client.done('PATCH', `/environments/${environmentId}/hold-rule`, { data: { afterRollback: true } })
  })
  await Promise.all(ruled)
  const count = await moments.killAtEach(service, parties, {
    async release({ user, client, moduleInstanceId }, moment) {
      const bad = await user.follow((await user.deploy(moduleInstanceId, `shop/app:${moment}-crash`)).id)
      expect(bad, `killed at moment ${moment}`).toMatchObject({ status: 'ROLLED_BACK' })
      const held = await client.done<Hold[]>('GET', '/holds')
      expect(held, `killed at moment ${moment}`).toMatchObject([{ origin: 'ROLLBACK', deploymentId: bad.id }])
      await client.done('POST', `/holds/${held[0]?.id}/lift`, { data: { reason: 'The next one, please.' } })
    },
  })
  expect(count).toBeGreaterThan(2)
})

test('an automatic promotion releases once, although the service and its engine die meanwhile', async () => {
  const { service, cloud, parties } = await startHeld(1)
  const [{ user, client, moduleInstanceId, laterInstanceId }] = parties
  const here = await client.done<ModuleInstance>('GET', `/module-instances/${moduleInstanceId}`)
  const named = { projectId: here.projectId, givenId: 'later', name: 'Later' }
  const { id: later } = await client.done<{ id: string }>('POST', '/environments', { data: named })
  const moved = { environmentId: later, givenId: here.givenId }
  await client.done('PATCH', `/module-instances/${laterInstanceId}`, { data: moved })
  const step = { fromEnvironmentId: here.environmentId, environmentId: later, start: 'MANUAL' }
  const rule = await client.done<PromotionRule>('POST', '/promotion-rules', { data: step })
  const promoted = () => client.done<Deployment[]>('GET', `/deployments?moduleInstanceId=${laterInstanceId}`)
  /** Changes the start of a promotion rule, which is evaluated within a second. */
  const start = (start: PromotionRule['start']) =>
    client.done('PATCH', `/promotion-rules/${rule.id}`, { data: { start } })

  // Once after the release was created, with an engine that never receives its message; once around its creation.
  const moments = [undefined, 700]
  for (const [round, delay] of moments.entries()) {
    const { id } = await user.follow((await user.deploy(moduleInstanceId, `shop/app:${round}`)).id)
    const source = async () => (await client.ask('GET', `/deployments/${id}?include=source`)).body as WithSource
    // A promotion uses the exact image that ran, which the engine resolves.
    await eventually(
      'its image to be known',
      source,
      (seen) => seen.included?.source.imageDigest !== undefined,
      patienceMs,
    )
    if (delay === undefined) await service.freezeEngine()
    await start('AUTOMATIC')
    if (delay === undefined) await eventually('it to be begun', promoted, ({ length }) => length > round, patienceMs)
    else await sleep(delay) // time of the kill
    await service.kill('service and engine')
    await service.forgetEngine()
    service.start()
    const [newest] = await eventually('it to be begun', promoted, ({ length }) => length > round, patienceMs)
    expect(await user.follow(newest?.id ?? '')).toMatchObject({ status: 'SUCCESS', triggerSource: 'PROMOTION' })
    await start('MANUAL')
    expect(await promoted()).toHaveLength(round + 1)
  }
  const updates = await cloud.calls({ operation: 'UpdateService', accepted: true, limit: 1_000 })
  expect(updates).toHaveLength(2 * moments.length)
})

type WithSource = { included?: { source: DeploymentSource } }

/** Starts services to release to, and clients that repeat requests without a response. */
const startHeld = (count: number, moments = new KillAfterCallWatcher()) =>
  startObservedEnvironment(moments, createAccountUsers(count, settle))

async function settle(world: World, organization: TestOrganization) {
  const [{ moduleInstanceId }, later] = [await organization.service(null), await organization.service(null)]
  const { token } = await organization.member('DEVELOPER')
  return {
    client: new PatientClient(world.url, organization.client.token),
    other: new PatientClient(world.url, token),
    moduleInstanceId,
    laterInstanceId: later.moduleInstanceId,
  }
}
