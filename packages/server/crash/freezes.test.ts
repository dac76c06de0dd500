import { setTimeout as sleep } from 'node:timers/promises'
import type { AuditEvent, Freeze } from '@sluice/contract'
import { expect, test } from 'vitest'
import { eventually } from '../src/testing/eventually.ts'
import { blueGreen, pausing } from '../src/testing/strategies.ts'
import { pausesOf, type World } from '../src/testing/world.ts'
import { startCrashWorld } from './crash-world.ts'
import { PatientClient } from './patient-client.ts'
import { Random } from './random.ts'
import { quickMs, User } from './user.ts'

/** Rounds: the delay before the kill in milliseconds, and which request comes first. */
const rounds = [
  { delay: 0, first: 'continue' },
  { delay: 15, first: 'freeze' },
  { delay: 40, first: 'continue' },
] as const
const hourMs = 3_600_000

test('a freeze applies to a concurrent continue completely or not at all, whenever the service dies', async () => {
  const { service, cloud, people } = await startCrashWorld({ speed: 1_200, people: settle })
  const { client, moduleInstanceId } = people
  const user = new User(client, new Random(1), quickMs)
  /** Returns the deployments that the cloud was told to continue, without repetitions. */
  const continued = async () =>
    (await cloud.calls({ operation: 'ContinueServiceDeployment', accepted: true, limit: 1_000 })).length
  const freeze = () => {
    const at = (ms: number) => new Date(Date.now() + ms).toISOString()
    const data = { name: 'Holidays', stops: ['CONTINUES'], window: { from: at(-hourMs), until: at(hourMs) } }
    return client.done<Freeze>('POST', '/freezes', { data })
  }

  for (const [index, { delay, first }] of rounds.entries()) {
    const { id } = await user.deploy(moduleInstanceId, `shop/app:${index}`)
    const paused = await eventually(
      'the release to be paused',
      () => user.get(id),
      (one) => pausesOf(one).length > 0,
      60_000,
    )
    const [hookId = ''] = pausesOf(paused)
    const goOn = () => client.ask('POST', `/deployments/${id}/continue`, { data: { hookId } })
    const before = await continued()
    const asked = first === 'freeze' ? [freeze(), goOn()] : [goOn(), freeze()]
    await sleep(delay) // time of the kill
    await service.kill('service and engine')
    await service.forgetEngine()
    service.start()
    const answers = await Promise.all(asked)
    const [answer, frozen] = (first === 'freeze' ? answers.toReversed() : answers) as [
      Awaited<ReturnType<typeof goOn>>,
      Freeze,
    ]
    const decided = await client.done<AuditEvent[]>('GET', `/audit-events?resourceId=${id}&action=deployments.continue`)
    const round = `killed after ${delay} ms, ${first} first`
    expect([200, 422], round).toContain(answer.status)
    expect(decided, round).toHaveLength(answer.status === 200 ? 1 : 0)
    if (answer.status === 422) {
      expect(answer.body, round).toMatchObject({ code: 'Sluice:Freezes:FROZEN' })
      // Requests that were in flight when the service died do not continue the deployment either.
      await service.kill('service and engine')
      await service.forgetEngine()
      service.start()
      await service.ready()
      expect(await goOn(), round).toMatchObject({ status: 422 })
      expect(await continued(), round).toBe(before)
      await client.ask('DELETE', `/freezes/${frozen.id}`)
      expect((await goOn()).status, round).toBe(200)
    }
    expect(await user.lookOn(id), round).toMatchObject({ status: 'SUCCESS' })
    expect(await continued(), round).toBe(before + 1)
    await client.ask('DELETE', `/freezes/${frozen.id}`)
  }
  expect(service.kills).toBeGreaterThanOrEqual(rounds.length)
  expect(service.ownEnds).toEqual([])
})

async function settle(world: World) {
  const organization = await world.organization({ delivery: false })
  const { moduleInstanceId } = await organization.service(pausing(blueGreen, ['PRE_SCALE_UP']))
  return { client: new PatientClient(world.url, organization.client.token), moduleInstanceId }
}
