import { randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RunningSim, SimControl, spawnCloudSim } from '@sluice/cloud-sim'
import type { CloudAccount, CloudConnection, ConnectionLink } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { auditEvents } from '../../identity/audit-events/tables.ts'
import { regionsOfCloudAccount } from '../../interface/dependents/regions.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { Client } from '../../testing/client.ts'
import { type SeededOrganization, seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { openCloud } from '../adapter/access.ts'
import { checkDue } from './checks.ts'
import { latestRole, roleTags } from './role-version.ts'

let directory: string
let sim: RunningSim
let control: SimControl
let world: Awaited<ReturnType<typeof startHttpWorld>>
let owner: SeededOrganization
let client: Client
let minutes = 0

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-checks-'))
  sim = await spawnCloudSim({ stateFile: join(directory, 'cloud.db') })
  control = new SimControl(sim.url)
  world = await startHttpWorld(() => {}, { cloudEndpoint: sim.url })
  owner = await seedOrganization(world.db)
  client = new Client(world.url, owner.key)
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await sim?.stop()
  await rm(directory, { recursive: true, force: true })
})

/** Advances the clock by 15 minutes, so that all checks are due, and returns how many accounts each worker checked. */
async function checkAll(workers = 1): Promise<number[]> {
  const cloud = openCloud({ endpoint: sim.url })
  minutes += 15
  const clock = () => new Date(Date.now() + minutes * 60_000)
  const parts = { db: world.db, ofOrganization: () => world.db, cloud, clock, regionsOfCloudAccount }
  const checked = await Promise.all(Array.from({ length: workers }, () => checkDue(parts)))
  cloud.close()
  return checked
}

let names = 0
async function connected(more: Partial<Parameters<SimControl['putRole']>[0]> = {}) {
  names += 1
  const data = { givenId: `checked-${names}`, name: 'Main' }
  const { id } = await client.done<CloudAccount>('POST', '/cloud-accounts', { data })
  const { externalId } = await client.done<ConnectionLink>('GET', `/cloud-accounts/${id}/connection-link`)
  const number = String(randomInt(1e11, 1e12 - 1))
  const roleArn = `arn:aws:iam::${number}:role/sluice`
  const put = (change: typeof more = {}) => control.putRole({ roleArn, externalId, ...more, ...change })
  const connect = () => client.done<CloudAccount>('POST', `/cloud-accounts/${id}/connect`, { data: { roleArn } })
  await put()
  const account = await connect()
  const shown = () => client.done<CloudAccount>('GET', `/cloud-accounts/${id}`)
  const connection = () => client.done<CloudConnection>('GET', `/cloud-accounts/${id}/connection`)
  return { id, number, put, connect, account, shown, connection }
}

test('an account whose role denies access is disconnected with the reason, and reconnects when the role allows access', async () => {
  const { id, put, account, shown, connection } = await connected()
  expect(account.status).toBe('CONNECTED')
  await put({ externalId: 'of somebody else' })
  await checkAll()
  expect(await shown(), 'after one refusal').toMatchObject({ status: 'CONNECTED' })
  await checkAll()
  expect(await shown()).toMatchObject({ status: 'DISCONNECTED' })
  expect(await connection()).toMatchObject({
    status: 'DISCONNECTED',
    checkedAt: expect.any(String),
    error: { code: 'Sluice:CloudAccounts:CONNECTION_REFUSED', message: expect.stringContaining('sts:AssumeRole') },
  })
  await put()
  await checkAll()
  expect(await shown()).toMatchObject({ status: 'CONNECTED' })
  expect(await connection()).toEqual({ status: 'CONNECTED', checkedAt: expect.any(String) })
  const told = await world.db.select().from(auditEvents).where(eq(auditEvents.resourceId, id))
  const checks = told.filter(({ action }) => action === 'cloud-accounts.check')
  expect(checks.map(({ details, before }) => [before, details])).toEqual([
    [{ status: 'CONNECTED' }, { status: 'DISCONNECTED', reason: expect.any(String) }],
    [{ status: 'DISCONNECTED' }, { status: 'CONNECTED' }],
  ])
})

test('a region in use that is not enabled is named with the remedy, also when the account is connected', async () => {
  const { id, number, put, connect, shown, connection } = await connected()
  const place = { cloudAccountId: id, region: 'eu-south-1' }
  const network = { subnetIds: ['subnet-1'], securityGroupIds: ['sg-1'] }
  const data = { givenId: `south-${number}`, name: 'South', ...place, network }
  await client.done('POST', '/execution-environments', { data })
  await checkAll()
  await checkAll()
  expect(await shown()).toMatchObject({ status: 'ERROR' })
  const error = {
    code: 'Sluice:CloudAccounts:REGION_DISABLED',
    message: expect.stringMatching(`^The region eu-south-1 is not enabled in the cloud account ${number}: enable it`),
  }
  expect(await connection()).toMatchObject({ error })
  expect(await connect(), 'at once').toMatchObject({ status: 'ERROR' })
  await put({ enabledRegions: ['eu-south-1'] })
  expect(await connect()).toMatchObject({ status: 'CONNECTED' })
  await put()
  expect(await connect()).toMatchObject({ status: 'ERROR' })
  await put({ enabledRegions: ['eu-south-1'] })
  await checkAll()
  expect(await shown()).toMatchObject({ status: 'CONNECTED' })
})

test('the role’s tags give its version and its stack; a role without tags is reported as outdated', async () => {
  const stack = 'arn:aws:cloudformation:us-east-1:111122223333:stack/sluice-main/6b1f9c2e'
  const tags = { [roleTags.version]: '1', [roleTags.stack]: stack }
  const { put, account, shown } = await connected({ tags })
  const latest = { latestRoleVersion: latestRole.version, latestRoleVersionDescription: latestRole.description }
  expect(account).toMatchObject({ roleVersion: '1', cfnStackId: stack, ...latest })
  await put({ tags: { ...tags, [roleTags.version]: latestRole.version } })
  await checkAll()
  expect(await shown()).toMatchObject({ roleVersion: latestRole.version, ...latest })
  await put({ allow: ['ecs:DescribeServices'] })
  await checkAll()
  const silent = await shown()
  expect(silent).toMatchObject({ status: 'CONNECTED', ...latest })
  expect(silent).not.toHaveProperty('roleVersion')
  expect(silent).not.toHaveProperty('cfnStackId')
})

test('an unreachable cloud changes no status, and a check makes no request that is expected to fail', async () => {
  const { number, shown, connection } = await connected()
  await control.clearCalls()
  await checkAll()
  const tried = (await control.calls({ operation: 'AssumeRole' })).filter(({ request }) =>
    (request as { RoleArn: string }).RoleArn.includes(number),
  )
  expect(tried.map(({ accepted }) => accepted)).toEqual([true])
  await control.addFault({ kind: 'throttle', service: 'sts', operation: 'AssumeRole' })
  await checkAll()
  await control.clearFaults()
  expect(await shown()).toMatchObject({ status: 'CONNECTED' })
  expect(await connection()).toMatchObject({ error: { code: 'Sluice:CloudAccounts:CONNECTION_UNCHECKED' } })
})

test('each account is checked by one of several processes', async () => {
  await connected()
  await connected()
  const checked = await checkAll(3)
  expect(checked.reduce((sum, count) => sum + count)).toBe(names)
})
