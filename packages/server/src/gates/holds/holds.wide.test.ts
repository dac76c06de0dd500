import type { Deployment, Hold, HoldRule } from '@sluice/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { blueGreen, pausing } from '../../testing/strategies.ts'
import { eventsOf, sharedWorld, type TestOrganization, type World } from '../../testing/world.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})

type Held = { moduleInstanceId: string } | { environmentId: string }

const hold = (org: TestOrganization, what: Held, reason = 'Prices are wrong.') =>
  org.client.done<Hold>('POST', '/holds', { data: { ...what, reason } })

const askToRelease = ({ client }: Pick<TestOrganization, 'client'>, { id }: Hold) =>
  client.ask('POST', `/holds/${id}/lift`, { data: { reason: 'Prices are right.' } })

const open = (org: TestOrganization, query = '') => org.client.done<Hold[]>('GET', `/holds${query}`)

const lastEvent = (deployment: Deployment) => eventsOf(deployment).at(-1)
const untilHeld = (org: TestOrganization, id: string) =>
  org.until(id, 'held', (one) => lastEvent(one)?.message?.includes('/holds/hld_') === true)

const audited = (org: TestOrganization, resourceId: string) =>
  org.client.done<{ action: string; actorName: string; details?: object }[]>(
    'GET',
    `/audit-events?resourceId=${resourceId}&limit=100`,
  )

async function environmentOf(org: TestOrganization, moduleInstanceId: string): Promise<string> {
  const path = `/module-instances/${moduleInstanceId}`
  return (await org.client.done<{ environmentId: string }>('GET', path)).environmentId
}

async function holdAfterRollbacks(
  org: TestOrganization,
  moduleInstanceId: string,
  mode?: HoldRule['mode'],
): Promise<HoldRule> {
  const path = `/environments/${await environmentOf(org, moduleInstanceId)}/hold-rule`
  return org.client.done('PATCH', path, { data: { afterRollback: true, ...(mode && { mode }) } })
}

async function released(...wish: Parameters<TestOrganization['service']>) {
  const org = await world.organization({ deploy: { concurrency: { queue_size: 5 } } })
  const { moduleInstanceId } = await org.service(...wish)
  const first = await org.continueToEnd((await org.deploy(moduleInstanceId)).id)
  expect(first.status).toBe('SUCCESS')
  return { org, moduleInstanceId, first }
}

describe.concurrent('a hold', () => {
  test('blocks newer releases, reports its author, time and reason, and lets them start in turn when lifted', async () => {
    const org = await world.organization({ deploy: { concurrency: { queue_size: 5 } } })
    const { moduleInstanceId } = await org.service()
    const held = await hold(org, { moduleInstanceId })
    const older = await org.deploy(moduleInstanceId)
    const newer = await org.deploy(moduleInstanceId, 'shop/app:3')
    expect(older.status).toBe('PENDING')
    const waiting = await untilHeld(org, older.id)
    await untilHeld(org, newer.id)
    expect(waiting.status).toBe('PENDING')
    expect(lastEvent(waiting)).toMatchObject({
      stepCode: 'QUEUED',
      message: expect.stringContaining(`${held.heldBy} has held it since ${held.createdAt}: Prices are wrong. Anyone`),
    })
    const answer = await askToRelease(org, held)
    expect(answer).toMatchObject({
      status: 200,
      body: { data: { liftedBy: held.heldBy, liftReason: 'Prices are right.', liftedAt: expect.any(String) } },
    })
    const [first, second] = [await org.untilStatus(older.id, 'SUCCESS'), await org.untilStatus(newer.id, 'SUCCESS')]
    expect((second.startedAt ?? '') >= (first.completedAt ?? '')).toBe(true)
    expect(await audited(org, held.id)).toMatchObject([
      { action: 'holds.release', details: { reason: 'Prices are right.' } },
      { action: 'holds.create', details: { reason: 'Prices are wrong.', moduleInstanceId } },
    ])
  })

  test('of an instance does not affect others; one of an environment holds all of its instances', async () => {
    const org = await world.organization()
    const [one, other] = [await org.service(), await org.service()]
    await hold(org, { moduleInstanceId: one.moduleInstanceId })
    const [held, free] = [await org.deploy(one.moduleInstanceId), await org.deploy(other.moduleInstanceId)]
    await Promise.all([untilHeld(org, held.id), org.untilStatus(free.id, 'SUCCESS')])
    const environmentId = await environmentOf(org, one.moduleInstanceId)
    const ofAll = await hold(org, { environmentId })
    const next = await org.deploy(other.moduleInstanceId, 'shop/app:3')
    await untilHeld(org, next.id)
    await askToRelease(org, ofAll)
    await org.untilStatus(next.id, 'SUCCESS')
    expect((await org.get(held.id)).status).toBe('PENDING')
  })

  test('blocks neither a rollback nor an active release', async () => {
    const { org, moduleInstanceId, first } = await released(pausing(blueGreen, ['PRE_SCALE_UP']))
    const second = await org.continueToEnd((await org.deploy(moduleInstanceId, 'shop/app:3')).id)
    const inProgress = await org.deploy(moduleInstanceId, 'shop/app:4')
    await org.untilPaused(inProgress.id)
    await hold(org, { moduleInstanceId })
    const held = await org.deploy(moduleInstanceId, 'shop/app:5')
    expect((await org.continueToEnd(inProgress.id)).status).toBe('SUCCESS')
    await untilHeld(org, held.id)
    const back = await org.rollback(second.id, first.id)
    await org.untilStatus(back.id, 'SUCCESS')
    expect((await org.get(held.id)).status).toBe('PENDING')
    await org.cancel(held.id)
    expect((await org.get(held.id)).status).toBe('CANCELLED')
  })

  test('is one of several that must all be lifted, each once', async () => {
    const org = await world.organization()
    const { moduleInstanceId } = await org.service()
    const wishes = ['Prices are wrong.', 'Customers call.'].map((reason) => hold(org, { moduleInstanceId }, reason))
    const [one, other] = (await Promise.all(wishes)) as [Hold, Hold]
    const { id } = await org.deploy(moduleInstanceId)
    expect(lastEvent(await untilHeld(org, id))?.message).toContain('One more hold must be lifted after that.')
    const twice = await Promise.all([askToRelease(org, one), askToRelease(org, one)])
    expect(twice.map(({ status }) => status).toSorted()).toEqual([200, 422])
    expect(twice.find(({ status }) => status === 422)?.body).toMatchObject({ code: 'Sluice:Holds:ALREADY_LIFTED' })
    await org.until(id, 'held by the other', (one) => lastEvent(one)?.message?.includes(other.id) === true)
    const both = await Promise.all([askToRelease(org, other), askToRelease(org, other)])
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 422])
    await org.untilStatus(id, 'SUCCESS')
    expect(await open(org)).toEqual([])
  })

  test('that is created during a start takes effect either before or after it', async () => {
    const org = await world.organization()
    const services = [await org.service(), await org.service(), await org.service()]
    const environmentId = await environmentOf(org, services[0]?.moduleInstanceId ?? '')
    const deploying = services.map(({ moduleInstanceId }) => org.deploy(moduleInstanceId))
    const held = await hold(org, { environmentId })
    const accepted = await Promise.all(deploying)
    const settled = ({ id }: Deployment) =>
      org.until(id, 'started or held', (one) => one.startedAt !== undefined || lastEvent(one)?.stepCode === 'QUEUED')
    for (const one of await Promise.all(accepted.map(settled))) {
      // A start that held the lock when the hold was created counts as before it: some milliseconds.
      const latest = Date.parse(held.createdAt) + 1_000
      if (one.startedAt !== undefined) expect(Date.parse(one.startedAt)).toBeLessThan(latest)
      else expect(one.status).toBe('PENDING')
    }
  })
})

describe.concurrent('after a rollback', () => {
  test('by the cloud, the instance is held once if the environment is configured so, with its queued releases', async () => {
    const { org, moduleInstanceId } = await released()
    await holdAfterRollbacks(org, moduleInstanceId)
    const bad = await org.deploy(moduleInstanceId, 'shop/app:2-crash')
    const next = await org.deploy(moduleInstanceId, 'shop/app:3-crash')
    await org.untilStatus(bad.id, 'ROLLED_BACK')
    await untilHeld(org, next.id)
    const [held, ...others] = await open(org, `?moduleInstanceId=${moduleInstanceId}`)
    expect(others).toEqual([])
    expect(held).toMatchObject({ origin: 'ROLLBACK', deploymentId: bad.id, heldBy: 'Sluice' })
    expect(await audited(org, held?.id ?? '')).toMatchObject([{ action: 'holds.create', actorName: 'Sluice' }])
    expect((await org.get(next.id)).startedAt).toBe(undefined)
    await askToRelease(org, held as Hold)
    await org.untilStatus(next.id, 'ROLLED_BACK')
    expect(await open(org)).toMatchObject([{ origin: 'ROLLBACK', deploymentId: next.id }])
  })

  test('of an active release by a user, the instance is held once, by the rollback', async () => {
    const { org, moduleInstanceId, first } = await released(pausing(blueGreen, ['PRE_SCALE_UP']))
    await holdAfterRollbacks(org, moduleInstanceId)
    const bad = await org.deploy(moduleInstanceId, 'shop/app:3')
    await org.untilPaused(bad.id)
    const back = await org.rollback(bad.id)
    await org.untilStatus(back.id, 'SUCCESS')
    expect((await org.get(bad.id)).status).toBe('ROLLED_BACK')
    const held = await open(org, '?includeLifted=true')
    expect(held).toMatchObject([{ origin: 'ROLLBACK', deploymentId: back.id, moduleInstanceId }])
    // A second rollback changes nothing while the first hold is active.
    const forth = await org.rollback(back.id, first.id)
    await org.untilStatus(forth.id, 'SUCCESS')
    expect(await open(org, '?includeLifted=true')).toEqual(held)
  })

  test('with a rule that only warns, nothing is held and the audit log has what would have been', async () => {
    const { org, moduleInstanceId } = await released()
    expect(await holdAfterRollbacks(org, moduleInstanceId, 'WARN')).toEqual({ afterRollback: true, mode: 'WARN' })
    // Omitted fields stay unchanged.
    expect(await holdAfterRollbacks(org, moduleInstanceId)).toEqual({ afterRollback: true, mode: 'WARN' })
    const bad = await org.deploy(moduleInstanceId, 'shop/app:2-crash')
    await org.untilStatus(bad.id, 'ROLLED_BACK')
    expect(await open(org, '?includeLifted=true')).toEqual([])
    const [noted] = await audited(org, await environmentOf(org, moduleInstanceId))
    expect(noted).toMatchObject({
      action: 'holds.warn',
      actorName: 'Sluice',
      details: { moduleInstanceId, deploymentId: bad.id, reason: `The release ${bad.id} was rolled back.` },
    })
    await org.untilStatus((await org.deploy(moduleInstanceId, 'shop/app:3')).id, 'SUCCESS')
  })

  test('the instance is not held if a user only cancelled, or without the setting of the environment', async () => {
    const { org, moduleInstanceId } = await released(pausing(blueGreen, ['PRE_SCALE_UP']))
    const bad = await org.deploy(moduleInstanceId, 'shop/app:3')
    await org.untilPaused(bad.id)
    await org.untilStatus((await org.rollback(bad.id)).id, 'SUCCESS')
    expect(await open(org)).toEqual([])
    await holdAfterRollbacks(org, moduleInstanceId)
    const regretted = await org.deploy(moduleInstanceId, 'shop/app:4')
    await org.untilPaused(regretted.id)
    await org.cancel(regretted.id)
    await org.untilStatus(regretted.id, 'ROLLED_BACK', 'CANCELLED')
    expect(await open(org)).toEqual([])
  })
})

test('users with the permission to deploy can hold and lift, and no one else', async () => {
  const org = await world.organization()
  const { moduleInstanceId } = await org.service()
  const ask = (client: TestOrganization['client']) =>
    client.ask('POST', '/holds', { data: { moduleInstanceId, reason: 'I say so.' } })
  const [viewer, developer] = [await org.member('VIEWER'), await org.member('DEVELOPER')]
  expect((await ask(viewer)).status).toBe(403)
  const { status, body } = await ask(developer)
  expect(status).toBe(201)
  const { data: held } = body as { data: Hold }
  expect((await askToRelease({ client: viewer }, held)).status).toBe(403)

  // A role in another environment does not count; one in this environment does.
  const { membershipId: principalId } = await viewer.done<{ membershipId: string }>('GET', '/auth/whoami')
  const { projectId, environmentId } = held
  const data = { projectId, givenId: 'elsewhere', name: 'Elsewhere' }
  const elsewhere = await org.client.done<{ id: string }>('POST', '/environments', { data })
  const grant = (environmentId: string) =>
    org.client.done('POST', '/role-grants', { data: { principalId, projectId, environmentId, role: 'DEPLOYER' } })
  await grant(elsewhere.id)
  expect((await ask(viewer)).status).toBe(403)
  expect((await askToRelease({ client: viewer }, held)).status).toBe(403)
  await grant(environmentId)
  expect((await askToRelease({ client: viewer }, held)).status).toBe(200)

  const stranger = await world.organization()
  expect((await askToRelease(stranger, held)).status).toBe(404)
  expect((await ask(stranger.client)).status).toBe(422)
})

test('holds can be filtered by scope, and lifted ones are included on request', async () => {
  const org = await world.organization()
  const { moduleInstanceId } = await org.service()
  const one = await hold(org, { moduleInstanceId })
  const all = await hold(org, { environmentId: one.environmentId })
  const ids = async (query: string) => (await open(org, query)).map(({ id }) => id).toSorted()
  expect(await ids('')).toEqual([one.id, all.id].toSorted())
  expect(await ids(`?moduleInstanceId=${moduleInstanceId}`)).toEqual([one.id])
  expect(await ids(`?environmentId=${one.environmentId}`)).toEqual([one.id, all.id].toSorted())
  expect(await ids('?projectId=another')).toEqual([])
  await askToRelease(org, one)
  expect(await ids('')).toEqual([all.id])
  expect(await ids('?includeLifted=true')).toEqual([one.id, all.id].toSorted())
  const unnamed = await org.client.ask('POST', '/holds', { data: { reason: 'Something.' } })
  expect(unnamed).toMatchObject({ status: 400, body: { code: 'Sluice:Request:INVALID' } })
  for (let count = 1; count < 20; count++) await hold(org, { environmentId: one.environmentId })
  const tooMany = await org.client.ask('POST', '/holds', {
    data: { environmentId: one.environmentId, reason: 'More.' },
  })
  expect(tooMany).toMatchObject({ status: 422, body: { code: 'Sluice:Holds:TOO_MANY' } })
})
