import type { SearchResult, SearchType } from '@sluice/contract'
import { beforeAll, expect, test } from 'vitest'
import { iacResources } from '../../infrastructure/iac-resources/tables.ts'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { pipelineRuns } from '../../pipelines/pipelines/tables.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { newId } from '../../platform/ids.ts'
import { environments } from '../../projects/projects/tables.ts'
import { Client } from '../../testing/client.ts'
import { addMember } from '../../testing/members.ts'
import { createOneOfEverything } from '../../testing/resources.ts'
import { sharedWorld, type TestOrganization, type World } from '../../testing/world.ts'

let world: World
let org: TestOrganization
beforeAll(async () => {
  world = await sharedWorld()
  org = await world.organization()
})

function search(q: string, type?: SearchType, client: Client = org.client): Promise<SearchResult[]> {
  return client.done('GET', `/search?${new URLSearchParams({ q, ...(type && { type }) })}`)
}
const ids = (results: SearchResult[]) => results.map(({ id }) => id)

test('a service is found by parts of its name and scope, in any order', async () => {
  const { moduleInstanceId: id } = await org.service(null, { name: 'checkout' })
  for (const q of ['checkout', 'CHECK', 'production checkout', 'shop heck', id]) {
    expect(await search(q, 'SERVICE'), q).toMatchObject([{ type: 'SERVICE', id, title: 'checkout · production' }])
  }
  expect(await search('checkout staging', 'SERVICE')).toEqual([])
  const { moduleInstanceId: longer } = await org.service(null, { name: 'a-checkout' })
  expect(ids(await search('checkout', 'SERVICE'))).toEqual([id, longer]) // an exact name comes first
})

test('a deployment is found by its service, environment, version and description', async () => {
  const { moduleInstanceId } = await org.service(null, { name: 'billing' })
  const { id } = await org.deploy(moduleInstanceId, 'shop/app:4.5.6')
  for (const q of ['billing 4.5.6', '4.5', 'production bill 4.', id]) {
    expect(await search(q, 'DEPLOYMENT'), q).toMatchObject([
      { id, title: 'billing · production · 4.5.6', moduleInstanceId },
    ])
  }
  expect(await search('billing 4.5.7', 'DEPLOYMENT')).toEqual([])
  expect(await search('illing', 'DEPLOYMENT')).toEqual([])
  const { id: newer } = await org.deploy(moduleInstanceId, 'shop/app:4.5.7')
  expect(ids(await search('billing', 'DEPLOYMENT'))).toEqual([newer, id])
})

test('a current resource is found by its address and ARN, once, and a deleted one is not', async () => {
  const { byPath } = await createOneOfEverything(world.db, { organizationId: org.id })
  const [planned] = await world.db
    .select()
    .from(iacResources)
    .where(eq(iacResources.id, byPath['iac-resources'] ?? ''))
  if (!planned) throw new Error('there is one of everything')
  const arn = 'arn:cloud:queue:eu-west-1:111122223333:orders'
  const applied = {
    ...planned,
    address: 'module.web.cloud_queue.orders',
    runType: 'APPLY',
    isInCurrentState: true,
  } as const
  const made = [newId('iac'), newId('iac')].sort()
  for (const id of made)
    await world.db.insert(iacResources).values({ ...applied, id, vendorData: { before: null, after: { arn } } })
  for (const q of [arn, 'orders', 'module.web.cloud_queue.orders', 'queue 111122223333']) {
    expect(ids(await search(q, 'RESOURCE')), q).toEqual([made[1]])
  }
  await world.db.update(iacResources).set({ isInCurrentState: false }).where(eq(iacResources.stackId, applied.stackId))
  expect(await search(arn, 'RESOURCE')).toEqual([])
  await world.db.delete(iacResources).where(eq(iacResources.stackId, applied.stackId))
})

test('runs, pipelines, projects, environments and users are found', async () => {
  const shop = await world.organization()
  const { byPath, organizationId } = await createOneOfEverything(world.db, { organizationId: shop.id })
  const run = { id: newId('run'), organizationId, pipelineId: byPath.pipelines ?? '', status: 'SUCCESS' } as const
  const version = { pipelineVersionId: byPath['pipeline-versions'] ?? '', inputs: {}, triggerSource: 'API' } as const
  const said = { description: 'Nightly clean-up', triggeredBy: 'ada@example.com' }
  await world.db.insert(pipelineRuns).values({ ...run, ...version, ...said })
  const find = (q: string, type: SearchType) => search(q, type, shop.client)
  expect(await find('one clean ada', 'RUN')).toMatchObject([{ id: run.id, title: 'One #2 · Nightly clean-up' }])
  expect(ids(await find('one #2', 'RUN'))).toEqual([run.id])
  expect(ids(await find('one', 'PIPELINE'))).toEqual([byPath.pipelines])
  expect(ids(await find('shop', 'PROJECT'))).toHaveLength(1)
  expect((await find('production', 'ENVIRONMENT')).map(({ title }) => title)).toEqual(['production'])
  expect((await find('ada lovelace', 'PERSON')).map(({ id }) => id)).toContain(byPath.memberships)
  const all = await search('o', undefined, shop.client)
  expect(all.map(({ type }) => type)).toEqual(expect.arrayContaining(['SERVICE', 'RUN', 'PROJECT', 'PERSON']))
})

test('any text is a valid search, and a very common word returns the newest records', async () => {
  for (const q of ['%', '_', "'", '\\', '   ', '(', 'é', '*:', '\u{10FFFF}', 'a '.repeat(90)]) {
    const { status } = await org.client.ask('GET', `/search?q=${encodeURIComponent(q)}`)
    expect(status, JSON.stringify(q)).toBe(200)
  }
  expect((await org.client.ask('GET', '/search')).status).toBe(400)
})

test('records of another organization are not found', async () => {
  const other = await world.organization()
  await other.deploy((await other.service(null, { name: 'secretive' })).moduleInstanceId, 'shop/app:6.6.6')
  await createOneOfEverything(world.db, { organizationId: other.id })
  for (const q of ['secretive', '6.6.6', other.id]) expect(await search(q), q).toEqual([])
})

test('hidden records are not found, nor listed among the services', async () => {
  const shop = await world.organization()
  const { moduleInstanceId } = await shop.service(null, { name: 'payroll' })
  const { id } = await shop.deploy(moduleInstanceId, 'shop/app:7.8.9')
  const { byPath } = await createOneOfEverything(world.db, { organizationId: shop.id })
  const [instance] = await world.db.select().from(moduleInstances).where(eq(moduleInstances.id, moduleInstanceId))
  const { projectId = '', environmentId = '' } = instance ?? {}
  const member = new Client(world.url, await addMember(world.db, shop.id, 'DEVELOPER'))
  const services = () => member.done<{ givenId: string }[]>('GET', `/services?projectId=${projectId}&limit=100`)
  expect(ids(await search('payroll', undefined, member))).toEqual([moduleInstanceId, id])
  expect((await services()).map(({ givenId }) => givenId)).toContain('payroll')

  await shop.client.done('PATCH', `/environments/${environmentId}`, { data: { visibility: 'MEMBERS' } })
  for (const q of ['payroll', '7.8.9', id, moduleInstanceId]) expect(await search(q, undefined, member), q).toEqual([])
  const names = await world.db.select().from(environments).where(eq(environments.id, environmentId))
  expect(ids(await search(names[0]?.name ?? '', 'ENVIRONMENT', member))).not.toContain(environmentId)
  expect(await services()).toEqual([])
  expect(ids(await search('payroll', undefined, shop.client))).toEqual([moduleInstanceId, id])

  await shop.client.done('PATCH', `/projects/${byPath.projects}`, { data: { visibility: 'MEMBERS' } })
  const hidden = [byPath.projects, byPath.pipelines, byPath['pipeline-runs'], byPath['module-instances']]
  expect(ids(await search('one', undefined, member)).filter((found) => hidden.includes(found))).toEqual([])
})
