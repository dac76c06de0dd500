import type { Deployment, Environment, Freeze, FreezeOverride, Principal } from '@sluice/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { lockTarget } from '../../delivery/deployments/store/store.ts'
import { changes } from '../../interface/changes/tables.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { newId } from '../../platform/ids.ts'
import { blueGreen, pausing } from '../../testing/strategies.ts'
import { eventsOf, sharedWorld, type TestOrganization, type World } from '../../testing/world.ts'
import { freezes } from './tables.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})

const inMs = (ms: number) => new Date(Date.now() + ms).toISOString()
const hourMs = 3_600_000

/** Creates a freeze that is active now. */
const freeze = (org: TestOrganization, more: object = {}) =>
  org.client.done<Freeze>('POST', '/freezes', {
    data: {
      name: 'Quiet weeks',
      reason: 'Nobody is there.',
      window: { from: inMs(-hourMs), until: inMs(hourMs) },
      stops: ['RELEASES'],
      ...more,
    },
  })

const lift = (org: TestOrganization, { id }: Freeze) => org.client.ask('DELETE', `/freezes/${id}`)
const saysWhy = (one: Deployment) => eventsOf(one).some(({ message = '' }) => message.includes('Quiet weeks'))
const untilFrozen = (org: TestOrganization, id: string) => org.until(id, 'frozen', saysWhy)

const audited = (org: TestOrganization, resourceId: string) =>
  org.client.done<{ action: string; actorName: string; details?: object }[]>(
    'GET',
    `/audit-events?resourceId=${resourceId}&limit=100`,
  )

describe.concurrent('a freeze', () => {
  test('blocks a release with a reason, and lets it start automatically when the freeze ends', async () => {
    const org = await world.organization()
    const { moduleInstanceId } = await org.service()
    const { id: freezeId } = await freeze(org)
    const { id } = await org.deploy(moduleInstanceId)
    expect((await untilFrozen(org, id)).status).toBe('PENDING')
    const window = { from: inMs(-hourMs), until: inMs(3_000) }
    await org.client.done('PATCH', `/freezes/${freezeId}`, { data: { window } })
    const done = await org.until(id, 'released', ({ status }) => status === 'SUCCESS', 60_000)
    expect((done.startedAt ?? '') >= window.until).toBe(true)
  })

  test('does not affect another organization', async () => {
    const [org, other] = [await world.organization(), await world.organization()]
    const [own, others] = [await org.service(), await other.service()]
    await freeze(org)
    const isRuled = async (id: string) => (await world.db.transaction((tx) => lockTarget(tx, id)))?.isRuled
    expect(await isRuled(own.moduleInstanceId)).toBe(true)
    expect(await isRuled(others.moduleInstanceId)).toBe(false)
  })

  test('lets waiting releases start at once when it is lifted', async () => {
    const org = await world.organization()
    const { moduleInstanceId } = await org.service()
    const frozen = await freeze(org)
    const { id } = await org.deploy(moduleInstanceId)
    await untilFrozen(org, id)
    expect((await lift(org, frozen)).status).toBe(204)
    await org.untilStatus(id, 'SUCCESS')
    const actions = (await audited(org, frozen.id)).map(({ action }) => action)
    expect(actions).toEqual(['freezes.delete', 'freezes.create'])
  })

  test('is one of at most 200 in an organization', async () => {
    const org = await world.organization()
    const { id } = await freeze(org)
    const [row] = await world.db.select().from(freezes).where(eq(freezes.id, id))
    if (!row) throw new Error('the freeze was made')
    await world.db.insert(freezes).values(Array.from({ length: 199 }, () => ({ ...row, id: newId('frz') })))
    const { name, window, stops } = row
    const answer = await org.client.ask('POST', '/freezes', { data: { name, window, stops } })
    expect(answer).toMatchObject({ status: 422, body: { code: 'Sluice:Freezes:TOO_MANY' } })
  })

  test('rejects releases if configured, with the remedy', async () => {
    const org = await world.organization()
    const { moduleInstanceId } = await org.service()
    const { id } = await freeze(org, { onRelease: 'REJECT' })
    const answer = await org.client.ask('POST', '/deployments', {
      data: { moduleInstanceId, description: 'Now', inputs: { image_ref: 'shop/app:2' } },
    })
    expect(answer).toMatchObject({
      status: 422,
      body: {
        code: 'Sluice:Freezes:FROZEN',
        message: expect.stringContaining('“Quiet weeks”'),
        description: expect.stringContaining(`/freezes/${id}/overrides`),
        metadata: { freezeId: id, until: expect.any(String) },
      },
    })
  })

  test('of one instance does not affect others, nor rollbacks unless it includes them', async () => {
    const org = await world.organization()
    const [one, other] = [await org.service(), await org.service()]
    const first = await org.deploy(one.moduleInstanceId)
    const second = await org.deploy(one.moduleInstanceId, 'shop/app:3')
    await org.untilStatus(second.id, 'SUCCESS')
    await freeze(org, { moduleInstanceId: one.moduleInstanceId })
    const [held, free] = [await org.deploy(one.moduleInstanceId), await org.deploy(other.moduleInstanceId)]
    await Promise.all([untilFrozen(org, held.id), org.untilStatus(free.id, 'SUCCESS')])
    const back = await org.rollback(second.id, first.id)
    await org.untilStatus(back.id, 'SUCCESS')
    expect((await org.get(held.id)).status).toBe('PENDING')
    const stops = { stops: ['ROLLBACKS'], onRelease: 'REJECT' } as const
    const { id: freezeId, name } = await freeze(org, { moduleInstanceId: one.moduleInstanceId, ...stops })
    const refused = await org.client.ask('POST', `/deployments/${second.id}/rollback`, { data: {} })
    expect(refused).toMatchObject({
      status: 422,
      body: {
        code: 'Sluice:Freezes:FROZEN',
        message: expect.stringContaining(name),
        description: expect.stringContaining(`POST /freezes/${freezeId}/overrides`),
        metadata: { freezeId, name, until: expect.any(String) },
      },
    })
  })

  test('that blocks continues keeps an active release at its pause; another one lets it continue', async () => {
    const org = await world.organization()
    const { moduleInstanceId } = await org.service(pausing(blueGreen, ['PRE_SCALE_UP']))
    const { id } = await org.deploy(moduleInstanceId)
    const hookId = await org.untilPaused(id)
    const frozen = await freeze(org, { stops: ['RELEASES', 'CONTINUES'] })
    const refused = await org.client.ask('POST', `/deployments/${id}/continue`, { data: { hookId } })
    expect(refused).toMatchObject({ status: 422, body: { code: 'Sluice:Freezes:FROZEN' } })
    await org.client.done('PATCH', `/freezes/${frozen.id}`, { data: { stops: ['RELEASES'] } })
    await org.continue(id, hookId)
    expect((await org.continueToEnd(id)).status).toBe('SUCCESS')
  })

  test('that begins during a start or a continue takes effect either before or after it', async () => {
    const org = await world.organization()
    const { moduleInstanceId } = await org.service(pausing(blueGreen, ['PRE_SCALE_UP']))
    const { id } = await org.deploy(moduleInstanceId)
    const hookId = await org.untilPaused(id)
    const others = [await org.service(), await org.service(), await org.service()]
    const deploy = others.map((one) => org.deploy(one.moduleInstanceId))
    const [answer, frozen] = await Promise.all([
      org.client.ask('POST', `/deployments/${id}/continue`, { data: { hookId } }),
      freeze(org, { stops: ['RELEASES', 'CONTINUES'] }),
    ])
    const accepted = await Promise.all(deploy)
    const started = async ({ id }: Deployment) =>
      org.until(id, 'started or frozen', (one) => one.startedAt !== undefined || saysWhy(one))
    for (const one of await Promise.all(accepted.map(started))) {
      // A start that held the lock when the freeze was created counts as before it: some milliseconds.
      const latest = Date.parse(frozen.createdAt) + 1_000
      if (one.startedAt !== undefined) expect(Date.parse(one.startedAt)).toBeLessThan(latest)
      else expect(one.status).toBe('PENDING')
    }
    expect([200, 422]).toContain(answer.status)
    const decisions = (await audited(org, id)).map(({ action }) => action)
    expect(decisions.includes('deployments.continue')).toBe(answer.status === 200)
    const late = await org.client.ask('POST', `/deployments/${id}/continue`, { data: { hookId } })
    expect(late.status).toBe(answer.status) // a decision from before the freeze is returned again
  })

  test('starts only the newest release afterwards if configured', async () => {
    const org = await world.organization({ deploy: { concurrency: { queue_size: 5 } } })
    const { moduleInstanceId } = await org.service()
    const frozen = await freeze(org, { afterwards: 'NEWEST' })
    const older = await org.deploy(moduleInstanceId)
    const newer = await org.deploy(moduleInstanceId, 'shop/app:3')
    expect((await org.untilStatus(older.id, 'CANCELLED')).error?.message).toContain(newer.id)
    await untilFrozen(org, newer.id)
    await lift(org, frozen)
    await org.untilStatus(newer.id, 'SUCCESS')
  })

  test('that only warns blocks nothing, and records what it would have blocked', async () => {
    const org = await world.organization()
    const { moduleInstanceId } = await org.service()
    const { id } = await freeze(org, { mode: 'WARN', onRelease: 'REJECT' })
    const deployment = await org.deploy(moduleInstanceId)
    await org.untilStatus(deployment.id, 'SUCCESS')
    const events = await audited(org, id)
    expect(events.filter(({ action }) => action === 'freezes.warn')).toMatchObject([
      { details: { deploymentId: deployment.id, act: 'RELEASES' } },
    ])
  })
})

describe.concurrent('an override', () => {
  test('lets one instance proceed with a reason, which the audit log has', async () => {
    const org = await world.organization()
    const [one, other] = [await org.service(), await org.service()]
    const frozen = await freeze(org)
    const [freed, kept] = [await org.deploy(one.moduleInstanceId), await org.deploy(other.moduleInstanceId)]
    await Promise.all([untilFrozen(org, freed.id), untilFrozen(org, kept.id)])
    const path = `/freezes/${frozen.id}/overrides`
    const data = { moduleInstanceId: one.moduleInstanceId, reason: 'The shop is down.', minutes: 10 }
    const made = await org.client.done<FreezeOverride>('POST', path, { data })
    await org.untilStatus(freed.id, 'SUCCESS')
    expect((await org.get(kept.id)).status).toBe('PENDING')
    expect(await org.client.done('GET', path)).toEqual([made])
    const [event] = await audited(org, frozen.id)
    expect(event).toMatchObject({ action: 'freezes.override', details: { reason: 'The shop is down.' } })
  })

  test('is listed with active freezes, and subscribers of changes are notified', async () => {
    const org = await world.organization()
    const [frozen, other] = [await freeze(org), await freeze(org)]
    const data = { reason: 'The shop is down.' }
    const made = await org.client.done<FreezeOverride>('POST', `/freezes/${frozen.id}/overrides`, { data })
    const { body } = await org.client.ask('GET', '/freezes/active?include=overrides')
    expect(body).toMatchObject({ included: { overrides: [made] } })
    expect(await org.client.ask('GET', '/freezes/active')).not.toHaveProperty('body.included')
    const toldOf = ({ id }: Freeze) => world.db.$count(changes, eq(changes.recordId, id))
    expect([await toldOf(frozen), await toldOf(other)]).toEqual([2, 1])
  })

  test('requires an admin or owner, not a deployer', async () => {
    const org = await world.organization()
    const { id } = await freeze(org)
    const data = { reason: 'I want to.' }
    const statusOf = async (role: 'DEVELOPER' | 'ADMIN') =>
      (await (await org.member(role)).ask('POST', `/freezes/${id}/overrides`, { data })).status
    expect(await statusOf('DEVELOPER')).toBe(403)
    expect(await statusOf('ADMIN')).toBe(201)
  })
})

test('of a whole project requires the permission to release in all of its environments', async () => {
  const org = await world.organization()
  const { projectId } = org.pipelines
  const { moduleInstanceId } = await org.service()
  const member = await org.member('VIEWER')
  const { membershipId } = await member.done<Principal>('GET', '/auth/whoami')
  const grant = { principalId: membershipId, projectId, role: 'ADMIN' }
  await org.client.done('POST', '/role-grants', { data: grant })
  const { id } = await freeze(org, { projectId })
  const override = async (data: object = {}) =>
    (await member.ask('POST', `/freezes/${id}/overrides`, { data: { reason: 'The shop is down.', ...data } })).status
  expect(await override()).toBe(201)
  const given = { projectId, givenId: 'vault', name: 'Vault' }
  const { id: environmentId } = await org.client.done<Environment>('POST', '/environments', { data: given })
  await org.client.done('PATCH', `/environments/${environmentId}`, { data: { restricted: true } })
  expect(await override()).toBe(403)
  expect(await override({ moduleInstanceId })).toBe(201)
  await org.client.done('POST', '/role-grants', { data: { ...grant, environmentId } })
  expect(await override()).toBe(201)
})

test('freezes can be filtered by scope and time', async () => {
  const org = await world.organization()
  const { moduleInstanceId } = await org.service()
  const [ofAll, ofOne] = [await freeze(org), await freeze(org, { moduleInstanceId })]
  const soon = await freeze(org, { window: { from: inMs(2 * hourMs), until: inMs(3 * hourMs) } })
  const active = async (query = '') =>
    (await org.client.done<Freeze[]>('GET', `/freezes/active${query}`)).map(({ id }) => id).toSorted()
  expect(await active(`?moduleInstanceId=${moduleInstanceId}`)).toEqual([ofAll.id, ofOne.id].toSorted())
  expect(await active('?moduleInstanceId=another')).toEqual([ofAll.id])
  expect(await active('?withinHours=4')).toEqual([ofAll.id, ofOne.id, soon.id].toSorted())
  expect(await org.client.done('GET', `/freezes/${soon.id}`)).toMatchObject({ isActive: false, period: soon.window })
  expect(await org.client.done('GET', `/freezes?moduleInstanceId=${moduleInstanceId}`)).toMatchObject([ofOne])
  const wrong = { cron: '0 16 * * 5', timeZone: 'Berlin', minutes: 60 }
  const answer = await org.client.ask('PATCH', `/freezes/${soon.id}`, { data: { window: wrong } })
  expect(answer.status).toBe(400)
})
