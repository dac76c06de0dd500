import { hash, randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RunningSim, SimControl, spawnCloudSim } from '@sluice/cloud-sim'
import { apiErrors, type CloudAccount, type ConnectionLink, type ModuleInstance } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { deployments } from '../../delivery/deployments/store/tables.ts'
import { auditEvents } from '../../identity/audit-events/tables.ts'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { newId } from '../../platform/ids.ts'
import { Client } from '../../testing/client.ts'
import { type SeededOrganization, seedInstances, seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { finishedDeployment } from '../../testing/resources.ts'
import { cloudAccounts } from './tables.ts'

type World = Awaited<ReturnType<typeof startHttpWorld>>

let directory: string
let sim: RunningSim
let cloud: SimControl
let world: World
let owner: SeededOrganization
let client: Client

const connectTemplateUrl = 'https://templates.s3.amazonaws.com/connect role.yaml'

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-accounts-'))
  sim = await spawnCloudSim({ stateFile: join(directory, 'cloud.db') })
  cloud = new SimControl(sim.url)
  world = await startHttpWorld(() => {}, { cloudEndpoint: sim.url, connectTemplateUrl })
  owner = await seedOrganization(world.db)
  client = new Client(world.url, owner.key)
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await sim?.stop()
  await rm(directory, { recursive: true, force: true })
})

let names = 0
const create = (by = client) => {
  names += 1
  return by.done<CloudAccount>('POST', '/cloud-accounts', { data: { givenId: `account-${names}`, name: 'Main' } })
}
const linkOf = ({ id }: CloudAccount, query = '', by = client) =>
  by.done<ConnectionLink>('GET', `/cloud-accounts/${id}/connection-link${query}`)
const connect = ({ id }: CloudAccount, roleArn: string, by = client) =>
  by.ask('POST', `/cloud-accounts/${id}/connect`, { data: { roleArn } })

const newRoleArn = () => `arn:aws:iam::${randomInt(1e11, 1e12 - 1)}:role/teams/delivery`

/** Creates and connects an account whose role requires the external id. */
async function connected() {
  const account = await create()
  const roleArn = newRoleArn()
  await cloud.putRole({ roleArn, externalId: (await linkOf(account)).externalId })
  expect(await connect(account, roleArn)).toMatchObject({ status: 200 })
  return { account, roleArn, number: roleArn.split(':').at(4) ?? '' }
}

test('a new account waits for its connection and returns neither its external id nor its event secret', async () => {
  const data = { givenId: 'main', name: 'Main' }
  const answer = await client.ask('POST', '/cloud-accounts', { data })
  expect(answer.status).toBe(201)
  const { data: account } = answer.body as { data: CloudAccount }
  expect(account).toEqual({
    id: expect.stringMatching(/^ca_/),
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    organizationId: owner.organizationId,
    ...data,
    status: 'AWAITING_CONNECTION',
  })
  await client.done('POST', `/cloud-accounts/${account.id}/event-secret`)
  const shown = { ...account, updatedAt: expect.any(String) }
  expect(await client.done('GET', `/cloud-accounts/${account.id}`)).toEqual(shown)
  expect(await client.done('GET', '/cloud-accounts?limit=1')).toEqual([shown])
  expect(await client.ask('POST', '/cloud-accounts', { data })).toMatchObject({
    status: 409,
    body: { code: apiErrors.cloudAccountGivenIdTaken.code },
  })
})

test('an update changes only the name', async () => {
  const account = await create()
  const path = `/cloud-accounts/${account.id}`
  const renamed = { ...account, name: 'New', updatedAt: expect.any(String) }
  expect(await client.done('PATCH', path, { data: { name: 'New' } })).toEqual(renamed)
  expect(await client.done('PATCH', path, { data: {} })).toEqual(renamed)
  expect(await client.ask('PATCH', path, { data: { status: 'CONNECTED' } })).toMatchObject({ status: 400 })
  expect(await client.ask('PATCH', '/cloud-accounts/ca_x', { data: {} })).toMatchObject({
    status: 404,
    body: { code: apiErrors.cloudAccountNotFound.code },
  })
})

test('the link opens the page that creates the role, with the external id and the trusted principal', async () => {
  const account = await create()
  const { externalId, principal, trustPolicy, url = '' } = await linkOf(account, '?region=eu-central-1')
  expect(principal).toBe('arn:aws:iam::000000000001:root')
  expect(JSON.parse(trustPolicy)).toEqual({
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Principal: { AWS: principal },
        Action: 'sts:AssumeRole',
        Condition: { StringEquals: { 'sts:ExternalId': externalId } },
      },
    ],
  })
  const { origin, pathname, search, hash } = new URL(url)
  expect([origin, pathname, search]).toEqual([
    'https://eu-central-1.console.aws.amazon.com',
    '/cloudformation/home',
    '?region=eu-central-1',
  ])
  const [place, query] = hash.split('?')
  expect(place).toBe('#/stacks/create/review')
  expect(query).not.toContain('+') // the console would not decode it as a space
  expect(Object.fromEntries(new URLSearchParams(query))).toEqual({
    templateURL: connectTemplateUrl,
    stackName: `sluice-${account.givenId}`,
    param_ExternalId: externalId,
    param_PrincipalArn: principal,
  })
  expect((await linkOf(account, '?region=cn-north-1')).url).toMatch('https://console.amazonaws.cn/')
  expect((await linkOf(account)).externalId).toBe(externalId)
  expect((await linkOf(await create())).externalId).not.toBe(externalId)
  expect(await client.ask('GET', `/cloud-accounts/${account.id}/connection-link?region=moon`)).toMatchObject({
    status: 400,
  })
})

test('a server in another partition creates links and policies for that partition', async () => {
  const account = await create()
  process.env.AWS_REGION = 'us-gov-east-1'
  const { principal, url } = await linkOf(account).finally(() => {
    delete process.env.AWS_REGION
  })
  expect(principal).toBe('arn:aws-us-gov:iam::000000000001:root')
  expect(url).toMatch('https://console.amazonaws-us-gov.com/cloudformation/home?region=us-gov-east-1#')
})

test('a role of another partition is connected in the regions of that partition', async () => {
  const account = await create()
  const roleArn = newRoleArn().replace('arn:aws:', 'arn:aws-us-gov:')
  await cloud.putRole({ roleArn, externalId: (await linkOf(account)).externalId })
  expect(await connect(account, roleArn)).toMatchObject({ status: 200, body: { data: { status: 'CONNECTED' } } })
  const tried = (await cloud.calls({ operation: 'AssumeRole' })).filter(
    ({ request }) => (request as { RoleArn: string }).RoleArn === roleArn,
  )
  expect(new Set(tried.map(({ region }) => region))).toEqual(new Set(['us-gov-west-1']))
})

test('an account is connected by a role that requires the external id', async () => {
  const account = await create()
  const roleArn = newRoleArn()
  const { externalId } = await linkOf(account)
  await cloud.putRole({ roleArn, externalId })
  const answer = await connect(account, roleArn)
  expect(answer).toMatchObject({
    status: 200,
    body: { data: { id: account.id, status: 'CONNECTED', cloudArn: roleArn, cloudId: roleArn.split(':').at(4) } },
  })
  expect(await client.done('GET', `/cloud-accounts/${account.id}`)).toEqual((answer.body as { data: object }).data)
  const tried = (await cloud.calls({ operation: 'AssumeRole' }))
    .map(({ request }) => request as { RoleArn: string; ExternalId?: string })
    .filter(({ RoleArn }) => RoleArn === roleArn)
  expect(tried.map((request) => request.ExternalId)).toEqual([
    externalId,
    undefined,
    expect.not.stringMatching(`^${externalId}$`),
    externalId, // with the external id, in every region in use
  ])
  expect(await connect(account, roleArn), 'connecting again').toMatchObject({ status: 200 })
})

test('a role that the cloud denies is reported with the message of the cloud, and nothing changes', async () => {
  const account = await create()
  const roleArn = newRoleArn()
  const refused = { status: 422, body: { code: apiErrors.cloudRoleRefused.code } }
  expect(await connect(account, roleArn), 'no such role').toMatchObject(refused)
  await cloud.putRole({ roleArn, externalId: 'of-somebody-else' })
  const answer = await connect(account, roleArn)
  expect(answer).toMatchObject(refused)
  expect((answer.body as { message: string }).message).toContain('is not authorized to perform: sts:AssumeRole')
  expect(await client.done('GET', `/cloud-accounts/${account.id}`)).toEqual(account)
})

test('a role that does not require the external id is rejected as too open', async () => {
  const account = await create()
  const roleArn = newRoleArn()
  await cloud.putRole({ roleArn })
  expect(await connect(account, roleArn)).toMatchObject({
    status: 422,
    body: { code: apiErrors.cloudRoleTooOpen.code, message: expect.stringContaining('without an external id') },
  })
  expect(await client.done('GET', `/cloud-accounts/${account.id}`)).toEqual(account)
})

test('a role can be connected once, by any organization', async () => {
  const { account, roleArn } = await connected()
  const stranger = new Client(world.url, (await seedOrganization(world.db)).key)
  for (const by of [client, stranger]) {
    const second = await create(by)
    await cloud.putRole({ roleArn, externalId: (await linkOf(second, '', by)).externalId })
    const answer = await connect(second, roleArn, by)
    expect(answer).toMatchObject({ status: 409, body: { code: apiErrors.cloudRoleTaken.code } })
    expect(JSON.stringify(answer.body)).not.toContain(owner.organizationId)
    expect(await by.done('GET', `/cloud-accounts/${second.id}`)).toEqual(second)
  }
  expect(await client.done('GET', `/cloud-accounts/${account.id}`)).toMatchObject({ status: 'CONNECTED' })
})

test('a connected account accepts another role of the same cloud account, but not of another', async () => {
  const { account, number } = await connected()
  expect(await connect(account, newRoleArn())).toMatchObject({
    status: 422,
    body: { code: apiErrors.cloudAccountIsAnother.code },
  })
  const roleArn = `arn:aws:iam::${number}:role/new`
  await cloud.putRole({ roleArn, externalId: (await linkOf(account)).externalId })
  expect(await connect(account, roleArn)).toMatchObject({ status: 200, body: { data: { cloudArn: roleArn } } })
})

test('of two accounts that connect the same role concurrently, one succeeds', async () => {
  const account = await create()
  const { externalId } = await linkOf(account)
  const roles = [newRoleArn(), newRoleArn()]
  for (const roleArn of roles) await cloud.putRole({ roleArn, externalId })
  const answers = await Promise.all(roles.map((roleArn) => connect(account, roleArn)))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 422])
  const connected = roles[answers.findIndex(({ status }) => status === 200)]
  expect(await client.done('GET', `/cloud-accounts/${account.id}`)).toMatchObject({ cloudArn: connected })
})

test(
  'an invalid role ARN is rejected before the cloud is called',
  everyCase(
    ['', 'delivery', 'arn:aws:iam::1:role/a', 'arn:aws:iam::123456789012:user/a', 'arn:aws:s3:::bucket'],
    async (roleArn) => {
      const account = await create()
      expect(await connect(account, roleArn)).toMatchObject({
        status: 400,
        body: { code: apiErrors.requestInvalid.code },
      })
    },
  ),
)

test('an unreachable cloud is not reported as a defect of the role', async () => {
  await using nowhere = await startHttpWorld()
  const by = new Client(nowhere.url, (await seedOrganization(nowhere.db)).key)
  const account = await create(by)
  const unreachable = { status: 503, body: { code: apiErrors.cloudUnreachable.code } }
  expect(await connect(account, newRoleArn(), by)).toMatchObject(unreachable)
  expect(await by.ask('GET', `/cloud-accounts/${account.id}/connection-link`)).toMatchObject(unreachable)
  expect(await by.done('GET', `/cloud-accounts/${account.id}`)).toEqual(account)
})

test('an event secret is returned once; only its hash is stored, and a new secret replaces it', async () => {
  const { id } = await create()
  const secret = async () =>
    (await client.done<{ eventSecret: string }>('POST', `/cloud-accounts/${id}/event-secret`)).eventSecret
  const kept = async () => (await world.db.select().from(cloudAccounts).where(eq(cloudAccounts.id, id)))[0]
  const first = await secret()
  expect(first).toMatch(/^[\w-]{43}$/)
  expect((await kept())?.eventSecretHash).toBe(hash('sha256', first, 'hex'))
  const second = await secret()
  expect(second).not.toBe(first)
  expect((await kept())?.eventSecretHash).toBe(hash('sha256', second, 'hex'))
  const events = await world.db.select().from(auditEvents).where(eq(auditEvents.resourceId, id))
  expect(JSON.stringify(events)).not.toContain(second)
})

test('an account can be deleted when only ended deployments refer to it, but not during a deployment', async () => {
  const { id } = await create()
  const [moduleInstanceId = ''] = await seedInstances(world.db, owner.organizationId, 1)
  const { projectId, environmentId } = await client.done<ModuleInstance>('GET', `/module-instances/${moduleInstanceId}`)
  const deploymentId = newId('dep')
  const soon = new Date(Date.now() + 60_000)
  await world.db.insert(deployments).values({
    ...finishedDeployment,
    id: deploymentId,
    organizationId: owner.organizationId,
    projectId,
    environmentId,
    moduleInstanceId,
    release: { ...finishedDeployment.release, cloudAccountId: id },
    status: 'PENDING',
    wakeAt: soon,
    deadlineAt: soon,
    waitingFor: 'its turn',
  })
  expect(await client.ask('DELETE', `/cloud-accounts/${id}`)).toMatchObject({
    status: 409,
    body: { details: [{ items: [`deployment ${deploymentId}`] }] },
  })
  await world.db
    .update(deployments)
    .set({ status: 'CANCELLED', wakeAt: null, deadlineAt: null, waitingFor: null })
    .where(eq(deployments.id, deploymentId))
  expect(await client.ask('DELETE', `/cloud-accounts/${id}`)).toMatchObject({ status: 204 })
})

test('an account in use is not deleted, and the error lists what uses it', async () => {
  const { account, number } = await connected()
  const path = `/cloud-accounts/${account.id}`
  const place = { cloudAccountId: account.id, region: 'eu-west-1' }
  const runners = await client.done<{ id: string }>('POST', '/execution-environments', {
    data: { givenId: 'runners', name: 'Runners', ...place },
  })
  const ids = await seedInstances(world.db, owner.organizationId, 3)
  const inputs = [
    { service_arn: `arn:aws:ecs:eu-west-1:${number}:service/a/b` },
    { nested: { account: account.id } },
    { other: 'arn:aws:ecs:eu-west-1:111122223333:service/a/b' },
  ]
  for (const [index, id] of ids.entries()) {
    await world.db
      .update(moduleInstances)
      .set({ input: inputs[index] ?? {} })
      .where(eq(moduleInstances.id, id))
  }
  const instances = await Promise.all(
    ids.slice(0, 2).map((id) => client.done<ModuleInstance>('GET', `/module-instances/${id}`)),
  )
  expect(await client.ask('DELETE', path)).toMatchObject({
    status: 409,
    body: {
      code: apiErrors.cloudAccountInUse.code,
      details: [
        {
          items: [
            `execution environment runners (${runners.id})`,
            ...instances.map(({ id, givenId }) => `module instance ${givenId} (${id})`),
          ],
        },
      ],
    },
  })
  await client.ask('DELETE', `/execution-environments/${runners.id}`)
  for (const id of ids) await world.db.update(moduleInstances).set({ input: {} }).where(eq(moduleInstances.id, id))
  expect(await client.ask('DELETE', path)).toMatchObject({ status: 204, body: undefined })
  expect(await client.ask('DELETE', path)).toMatchObject({ status: 404 })
})
