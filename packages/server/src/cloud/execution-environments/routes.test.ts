import { apiErrors, type ExecutionEnvironment } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { Client } from '../../testing/client.ts'
import { type SeededOrganization, seedOrganization, startHttpWorld } from '../../testing/http-world.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
let owner: SeededOrganization
let client: Client
let cloudAccountId: string

beforeAll(async () => {
  world = await startHttpWorld()
  owner = await seedOrganization(world.db)
  client = new Client(world.url, owner.key)
  cloudAccountId = await createAccount(client)
})
afterAll(() => world?.[Symbol.asyncDispose]())

const createAccount = async (client: Client, givenId = 'main') =>
  (await client.done<{ id: string }>('POST', '/cloud-accounts', { data: { givenId, name: 'Main' } })).id

const given = (givenId: string, fields: object = {}) => ({
  data: { givenId, name: 'Runners', cloudAccountId, region: 'eu-west-1', ...fields },
})
const create = (givenId: string, fields?: object) =>
  client.done<ExecutionEnvironment>('POST', '/execution-environments', given(givenId, fields))

test('an execution environment is created, found, listed by account and permanently deleted', async () => {
  const network = { subnetIds: ['subnet-1', 'subnet-2'], securityGroupIds: [] }
  const answer = await client.ask('POST', '/execution-environments', given('first', { description: 'd', network }))
  expect(answer.status).toBe(201)
  const { data } = answer.body as { data: ExecutionEnvironment }
  expect(data).toEqual({
    id: expect.stringMatching(/^ee_/),
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    organizationId: owner.organizationId,
    kind: 'cloud',
    givenId: 'first',
    name: 'Runners',
    description: 'd',
    cloudAccountId,
    region: 'eu-west-1',
    network: { ...network, assignPublicIp: false },
    size: { cpuUnits: 1024, memoryMiB: 2048 },
    clusterName: 'sluice-runners',
    isReady: false,
    problem: `Its cloud account ${cloudAccountId} is not connected: connect it, then check again.`,
  })
  expect(await client.done('POST', `/execution-environments/${data.id}/check`)).toEqual(data)
  const path = `/execution-environments/${data.id}`
  expect(await client.done('GET', path)).toEqual(data)
  expect(await client.done('GET', `/execution-environments?cloudAccountId=${cloudAccountId}`)).toEqual([data])
  expect(await client.done('GET', '/execution-environments?cloudAccountId=ca_x')).toEqual([])
  expect(await client.ask('DELETE', path)).toMatchObject({ status: 204, body: undefined })
  for (const method of ['GET', 'DELETE']) {
    expect(await client.ask(method, path)).toMatchObject({
      status: 404,
      body: { code: apiErrors.executionEnvironmentNotFound.code },
    })
  }
})

test('an update changes only the supplied fields', async () => {
  const before = await create('changed')
  const other = await createAccount(client, 'other')
  const path = `/execution-environments/${before.id}`
  expect(await client.done('PATCH', path, { data: {} })).toEqual({ ...before, updatedAt: expect.any(String) })
  const size = { cpuUnits: 256, memoryMiB: 512 }
  const changes = { cloudAccountId: other, region: 'us-gov-west-1', name: 'New', size, clusterName: 'mine' }
  expect(await client.done('PATCH', path, { data: changes })).toEqual({
    ...before,
    ...changes,
    updatedAt: expect.any(String),
  })
  expect(await client.ask('PATCH', '/execution-environments/ee_x', { data: {} })).toMatchObject({ status: 404 })
})

test('a cloud account that does not exist or belongs to another organization is rejected', async () => {
  const { id } = await create('refused')
  const theirs = await createAccount(new Client(world.url, (await seedOrganization(world.db)).key))
  for (const cloudAccountId of ['ca_nobody', theirs]) {
    for (const answer of [
      await client.ask('POST', '/execution-environments', given('new', { cloudAccountId })),
      await client.ask('PATCH', `/execution-environments/${id}`, { data: { cloudAccountId } }),
    ]) {
      expect(answer).toMatchObject({
        status: 422,
        body: { code: apiErrors.referenceNotFound.code, metadata: { field: 'cloudAccountId', id: cloudAccountId } },
      })
    }
  }
})

test('a givenId is unique', async () => {
  await create('taken')
  const { id } = await create('free')
  const taken = { status: 409, body: { code: apiErrors.executionEnvironmentGivenIdTaken.code } }
  expect(await client.ask('POST', '/execution-environments', given('taken'))).toMatchObject(taken)
  const patch = { data: { givenId: 'taken' } }
  expect(await client.ask('PATCH', `/execution-environments/${id}`, patch)).toMatchObject(taken)
})

test.each([
  ['a region that is none', { region: 'Europe' }],
  ['a network without subnets', { network: { subnetIds: [], securityGroupIds: [] } }],
  ['a network of something else', { network: { vpc: 'vpc-1' } }],
])('%s is rejected', async (_, fields) => {
  expect(await client.ask('POST', '/execution-environments', given('wrong', fields))).toMatchObject({ status: 400 })
})

const inCloud = { cloudAccountId: 'ca_1', region: 'eu-west-1' }

test(
  'an invalid execution environment is rejected at its field',
  everyCase(
    [
      ['a pool with an account', { kind: 'runners', cloudAccountId: 'ca_1' }, 'cloudAccountId'],
      ['a size that the cloud does not have', { ...inCloud, size: { cpuUnits: 300, memoryMiB: 512 } }, 'size.cpuUnits'],
      ['too much memory for its size', { ...inCloud, size: { cpuUnits: 256, memoryMiB: 4096 } }, 'size.memoryMiB'],
      ['a pool with a size', { kind: 'runners', size: { cpuUnits: 256, memoryMiB: 512 } }, 'size'],
      ['a pool with a region', { kind: 'runners', region: 'eu-west-1' }, 'region'],
      ['a place in the cloud without an account', { kind: 'cloud', region: 'eu-west-1' }, 'cloudAccountId'],
      ['a place in the cloud without a region', { cloudAccountId: 'ca_1' }, 'region'],
    ],
    async (_, fields, path) => {
      const data = { givenId: 'odd', name: 'Odd', ...fields }
      const answer = await client.ask('POST', '/execution-environments', { data })
      expect(answer).toMatchObject({ status: 400, body: { code: apiErrors.requestInvalid.code } })
      expect(JSON.stringify(answer.body)).toContain(`$.data.${path}`)
    },
  ),
)

test('a cloud environment is rejected if its tasks could not reach the service; a pool is accepted', async () => {
  await using elsewhere = await startHttpWorld(undefined, { runnerUrl: null })
  const theirs = new Client(elsewhere.url, (await seedOrganization(elsewhere.db)).key)
  const refused = await theirs.ask('POST', '/execution-environments', {
    data: { ...given('new').data, cloudAccountId: await createAccount(theirs) },
  })
  expect(refused).toMatchObject({ status: 422, body: { code: apiErrors.executionEnvironmentUnreachable.code } })
  expect(JSON.stringify(refused.body)).toContain('SLUICE_RUNNER_URL')
  const pool = { data: { kind: 'runners', givenId: 'pool', name: 'Pool' } }
  expect(await theirs.ask('POST', '/execution-environments', pool)).toMatchObject({ status: 201 })
})

test('a cloud environment without a network reports why it is not ready', async () => {
  expect(await create('without')).toMatchObject({ isReady: false, problem: expect.stringContaining('no subnets') })
})
