import type { InfrastructureEvent, InfrastructureEventMatch } from '@sluice/contract'
import { expect, test } from 'vitest'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { newId } from '../../platform/ids.ts'
import { Client } from '../../testing/client.ts'
import { seedInstances, seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { finishedDeployment } from '../../testing/resources.ts'
import { deployments } from '../deployments/store/tables.ts'
import { infrastructureEvents } from './tables.ts'

test('events are listed newest first, and can be filtered by account, source, type and resource', async () => {
  await using world = await startHttpWorld()
  const { key, organizationId } = await seedOrganization(world.db)
  const client = new Client(world.url, key)
  const createAccount = async (givenId: string) =>
    (await client.done<{ id: string }>('POST', '/cloud-accounts', { data: { givenId, name: 'A' } })).id
  const [main, other] = [await createAccount('main'), await createAccount('other')]
  const occurredAt = new Date('2026-03-05T16:04:41.250Z')
  const keep = async (cloudAccountId: string, source: string, detailType: string, resourceArn: string | null) => {
    const id = newId('evt')
    const told = { externalEventId: id, source, detailType, resourceArn, occurredAt, event: { detail: { a: 1 } } }
    await world.db.insert(infrastructureEvents).values({ id, organizationId, cloudAccountId, ...told })
    return id
  }
  const first = await keep(main, 'cloud.tasks', 'Task changed', 'arn:service/a')
  const second = await keep(main, 'cloud.tasks', 'Deployment changed', null)
  const third = await keep(other, 'cloud.groups', 'Group changed', 'arn:group/b')

  const list = (query: string) => client.done<InfrastructureEvent[]>('GET', `/infrastructure-events${query}`)
  const ids = async (query: string) => (await list(query)).map(({ id }) => id)
  expect(await ids('')).toEqual([third, second, first])
  expect(await ids(`?cloudAccountId=${main}`)).toEqual([second, first])
  expect(await ids('?source=cloud.groups')).toEqual([third])
  expect(await ids('?detailType=Task%20changed')).toEqual([first])
  expect(await ids('?resourceArn=arn:group/b')).toEqual([third])
  expect(await ids(`?cloudAccountId=${main}&resourceArn=arn:group/b`)).toEqual([])
  expect((await list('?limit=1'))[0]).toEqual({
    id: third,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    organizationId,
    cloudAccountId: other,
    externalEventId: third,
    source: 'cloud.groups',
    detailType: 'Group changed',
    resourceArn: 'arn:group/b',
    occurredAt: occurredAt.toISOString(),
    event: { detail: { a: 1 } },
  })
})

test('an event can be read and filtered by instance, deployment and time, and lists the deployments that it concerned or why there are none', async () => {
  await using world = await startHttpWorld()
  const { key, organizationId } = await seedOrganization(world.db)
  const client = new Client(world.url, key)
  const account = await client.done<{ id: string }>('POST', '/cloud-accounts', { data: { givenId: 'main', name: 'A' } })
  const [released = '', planned = ''] = await seedInstances(world.db, organizationId, 2)
  const arnOf = (name: string) => `arn:aws:ecs:eu-west-1:123456789012:service/main/${name}`
  await world.db
    .update(moduleInstances)
    .set({ resourceArn: arnOf('api') })
    .where(eq(moduleInstances.id, planned))
  const [instance] = await world.db.select().from(moduleInstances).where(eq(moduleInstances.id, released))
  const deploymentId = newId('dep')
  const place = {
    moduleInstanceId: released,
    projectId: instance?.projectId ?? '',
    environmentId: instance?.environmentId ?? '',
  }
  const times = { startedAt: new Date('2026-03-05T16:00:00Z'), completedAt: new Date('2026-03-05T16:10:00Z') }
  const row = { id: deploymentId, organizationId, ...place, ...times, resourceArn: arnOf('web') }
  await world.db.insert(deployments).values({ ...finishedDeployment, ...row })

  const keep = async (name: string, time: string, detailType = 'ECS Deployment State Change') => {
    const id = newId('evt')
    const occurredAt = new Date(`2026-03-05T${time}Z`)
    const event = {
      source: 'aws.ecs',
      'detail-type': detailType,
      resources: [arnOf(name)],
      detail: {},
      region: 'eu-west-1',
    }
    const about = { externalEventId: id, source: 'aws.ecs', detailType, resourceArn: arnOf(name), occurredAt, event }
    await world.db.insert(infrastructureEvents).values({ id, organizationId, cloudAccountId: account.id, ...about })
    return id
  }
  const during = await keep('web', '16:05:00')
  const later = await keep('web', '17:00:00')
  const unreleased = await keep('api', '16:05:00')
  const strange = await keep('other', '16:05:00')
  const otherKind = await keep('web', '16:06:00', 'ECS Container Instance State Change')

  const ids = async (query: string) =>
    (await client.done<InfrastructureEvent[]>('GET', `/infrastructure-events?${query}`)).map(({ id }) => id)
  expect(await ids(`moduleInstanceId=${released}`)).toEqual([otherKind, later, during])
  expect(await ids(`moduleInstanceId=${planned}`)).toEqual([unreleased])
  expect(await ids(`deploymentId=${deploymentId}`)).toEqual([otherKind, during])
  expect(await ids('startTime=2026-03-05T16:05:30Z&endTime=2026-03-05T17:00:00Z')).toEqual([otherKind])
  expect((await client.ask('GET', '/infrastructure-events?startTime=2026-13-05T16:05:30Z')).status).toBe(400)

  expect(await client.done('GET', `/infrastructure-events/${during}`)).toMatchObject({ id: during })
  expect((await client.ask('GET', '/infrastructure-events/evt_none')).status).toBe(404)
  const match = async (id: string) => {
    const told = await client.done<InfrastructureEventMatch>('GET', `/infrastructure-events/${id}/match`)
    return { outcome: told.outcome, moduleInstanceId: told.moduleInstanceId, deploymentIds: told.deploymentIds }
  }
  const nobody = { moduleInstanceId: undefined, deploymentIds: [] }
  expect(await match(during)).toEqual({ outcome: 'MATCHED', moduleInstanceId: released, deploymentIds: [deploymentId] })
  expect(await match(later)).toEqual({ outcome: 'NO_ACTIVE_DEPLOYMENT', moduleInstanceId: released, deploymentIds: [] })
  expect(await match(unreleased)).toEqual({ outcome: 'NEVER_RELEASED', moduleInstanceId: planned, deploymentIds: [] })
  expect(await match(strange)).toEqual({ outcome: 'UNKNOWN_RESOURCE', ...nobody })
  expect(await match(otherKind)).toEqual({ outcome: 'UNSUPPORTED_TYPE', ...nobody })
})
