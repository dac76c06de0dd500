import type { InfrastructureEvent } from '@sluice/contract'
import { expect, test } from 'vitest'
import { newId } from '../../platform/ids.ts'
import { Client } from '../../testing/client.ts'
import { seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { infrastructureEvents } from './tables.ts'

test('events are listed, newest first, and found by account, source, kind and resource', async () => {
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
