import type { ExecutionEnvironment, ValueOption } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cloudAccounts } from '../../cloud/cloud-accounts/tables.ts'
import { saveTools } from '../../cloud/execution-environments/runner-tools.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { newId } from '../../platform/ids.ts'
import { Client } from '../../testing/client.ts'
import { seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { addMember } from '../../testing/members.ts'
import { createOneOfEverything, type OneOfEverything } from '../../testing/resources.ts'
import { offersOf } from './offers.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
let made: OneOfEverything
let client: Client

beforeAll(async () => {
  world = await startHttpWorld()
  made = await createOneOfEverything(world.db)
  client = new Client(world.url, await addMember(world.db, made.organizationId, 'VIEWER'))
})
afterAll(() => world?.[Symbol.asyncDispose]())

const offered = (path: string) => client.done<ValueOption[]>('GET', `/values/${path}`)

test('only connected cloud accounts are offered', async () => {
  expect(await offered('service/cloud_accounts')).toEqual([])
  const id = made.byPath['cloud-accounts'] ?? ''
  const connected = { status: 'CONNECTED', cloudId: '123456789012', name: 'Main' } as const
  await world.db.update(cloudAccounts).set(connected).where(eq(cloudAccounts.id, id))
  expect(await offered('service/cloud_accounts')).toEqual([{ value: id, label: 'Main (123456789012)' }])
})

test('execution environments are offered by account and region', async () => {
  const id = made.byPath['execution-environments'] ?? ''
  const { name, cloudAccountId } = await client.done<ExecutionEnvironment>('GET', `/execution-environments/${id}`)
  const description = expect.stringContaining('Not ready')
  const own = [{ value: id, label: `${name} (eu-west-1)`, description }]
  // A pool of runners is an execution environment without account and region.
  expect(await offered('service/execution_environments')).toEqual(expect.arrayContaining(own))
  expect(await offered(`service/execution_environments?cloudAccountId=${cloudAccountId}&region=eu-west-1`)).toEqual(own)
  expect(await offered('service/execution_environments?region=eu-west-2')).toEqual([])
})

test('regions and tool versions come from the bundled tables', async () => {
  expect(await offered('cloud/regions')).toContainEqual({ value: 'eu-west-1', label: 'Europe (Ireland), eu-west-1' })
  for (const tool of ['iac', 'iac_alt']) {
    const series = (await offered(`${tool}/versions`)).map(({ label }) => label.split('.').map(Number))
    expect(series).toEqual(series.toSorted(([, a = 0], [, b = 0]) => b - a))
  }
})

test('tool versions of the runners come first, of all or of one environment', async () => {
  const id = made.byPath['execution-environments'] ?? ''
  const told = (executionEnvironmentId: string | undefined, versions: string[]) =>
    saveTools(world.db, { executionEnvironmentId, runnerId: newId('rnr') }, { iac: versions, iac_alt: [] }, new Date())
  await told(undefined, ['1.9.2', '1.9.7'])
  await told(id, ['1.20.0'])
  const first = async (query: string, count: number) => (await offered(`iac/versions${query}`)).slice(0, count)
  const shared = { value: '~1.9', label: '1.9', description: 'Runners have 1.9.7.' }
  const own = { value: '~1.20', label: '1.20', description: 'Runners have 1.20.0.' }
  expect(await first('', 3)).toEqual([own, shared, { value: '~1.12', label: '1.12' }])
  expect(await first(`?executionEnvironmentId=${id}`, 2)).toEqual([own, { value: '~1.12', label: '1.12' }])
  expect((await offered('iac/versions')).filter(({ label }) => label === '1.9')).toHaveLength(1)
  const stranger = new Client(world.url, (await seedOrganization(world.db)).key)
  expect((await stranger.done<ValueOption[]>('GET', '/values/iac/versions'))[0]).toEqual(shared)
})

test('instance types have a price per hour or minute', async () => {
  const t3 = ({ value }: ValueOption) => value === 't3.micro'
  const hour = (await offered('cloud/ec2/instances?region=eu-west-1')).find(t3)
  expect(hour).toMatchObject({ label: 't3.micro: 2 vCPU, 1 GiB, $0.0104 per hour', fields: { cost: 0.0104 } })
  const minute = (await offered('cloud/ec2/instances?costUnit=minute')).find(t3)
  expect(minute).toMatchObject({ fields: { cost: 0.000173, cost_unit: 'minute' } })
})

test('task sizes depend on the operating system and have compound fields', async () => {
  const linux = await offered('cloud/fargate/sizes')
  expect(linux[0]).toEqual({ value: '0.25x0.5', label: '0.25 vCPU, 0.5 GB', fields: { vcpu: 0.25, memory_gb: 0.5 } })
  const windows = await offered('cloud/fargate/sizes?operatingSystem=WINDOWS_SERVER_2022_CORE')
  expect(windows[0]).toMatchObject({ fields: { vcpu: 1, memory_gb: 2 } })
  expect(windows.length).toBeLessThan(linux.length)
})

test('templates get the same options as routes', async () => {
  for (const path of [
    'cloud/regions',
    'iac/versions',
    'iac_alt/versions',
    'cloud/ec2/instances',
    'cloud/fargate/sizes',
  ]) {
    expect(await offersOf(world.db, made.organizationId, `$values:${path}`)).toEqual(await offered(path))
  }
  const accounts = await offersOf(world.db, made.organizationId, '$values:service/cloud_accounts?x=')
  expect(accounts).toEqual(await offered('service/cloud_accounts'))
})
