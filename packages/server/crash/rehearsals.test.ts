import type { AuditEvent, Rehearsal } from '@sluice/contract'
import { expect, test } from 'vitest'
import { eventually } from '../src/testing/eventually.ts'
import type { World } from '../src/testing/world.ts'
import { startCrashWorld } from './crash-world.ts'
import { PatientClient } from './patient-client.ts'

/** Time in milliseconds for the lease of the killed worker to expire and for ten scenarios, on a busy machine too. */
const patienceMs = 180_000

test('a rehearsal whose worker is killed runs again, finishes once and changes nothing', async () => {
  const { service, cloud, people } = await startCrashWorld({ speed: 60, people: settle })
  const { client, moduleInstanceId } = people
  const data = { moduleInstanceId, inputs: { image_ref: 'shop/app:2' } }
  const { id } = await client.done<Rehearsal>('POST', '/rehearsals', { data })
  const get = () => client.done<Rehearsal>('GET', `/rehearsals/${id}`)
  const begun = await eventually('the rehearsal to begin', get, ({ status }) => status !== 'PENDING', patienceMs)
  expect(begun.status, 'when the service is killed').toBe('IN_PROGRESS')

  await service.kill()
  service.start()

  const isOver = ({ status }: Rehearsal) => status === 'SUCCESS' || status === 'ERROR'
  const { status, error, scenarios } = await eventually('the rehearsal to finish', get, isOver, patienceMs)
  expect({ status, error }).toEqual({ status: 'SUCCESS', error: undefined })
  expect(scenarios.map((scenario) => scenario.status)).toEqual(scenarios.map(() => 'SUCCESS'))
  expect(await client.done<AuditEvent[]>('GET', `/audit-events?resourceId=${id}`)).toHaveLength(1)
  expect(await cloud.calls({ operation: 'UpdateService' })).toEqual([])
  expect(await client.done('GET', '/deployments')).toEqual([])
  expect(service.kills).toBe(1)
  expect(service.ownEnds).toEqual([])
})

async function settle(world: World) {
  const organization = await world.organization({ delivery: false })
  const { moduleInstanceId } = await organization.service(null)
  return { client: new PatientClient(world.url, organization.client.token), moduleInstanceId }
}
