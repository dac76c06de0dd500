import { apiErrors, type ExecutionEnvironment, type NewRunnerToken, type Runner } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../../platform/ids.ts'
import { Client } from '../../testing/client.ts'
import { type SeededOrganization, seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { findPool, isDraining, type Pool, recordRunner, recordSeen } from './join.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
let owner: SeededOrganization
let client: Client

beforeAll(async () => {
  world = await startHttpWorld()
  owner = await seedOrganization(world.db)
  client = new Client(world.url, owner.key)
})
afterAll(() => world?.[Symbol.asyncDispose]())

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000)
const registration = { machine: 'rack-1', version: '1.0.0', isolation: 'none', labels: ['gpu'], capacity: 4 }

let names = 0
async function poolOf(as: Client): Promise<{ pool: Pool; token: string; tokenId: string }> {
  names += 1
  const data = { kind: 'runners', givenId: `pool-${names}`, name: 'Pool' }
  const { id } = await as.done<ExecutionEnvironment>('POST', '/execution-environments', { data })
  const given = { data: { executionEnvironmentId: id, name: 'Rack' } }
  const { token, id: tokenId } = await as.done<NewRunnerToken>('POST', '/runner-tokens', given)
  const pool = await findPool(world.db, token, new Date())
  if (!pool) throw new Error('the token opens nothing')
  return { pool, token, tokenId }
}
const list = ({ executionEnvironmentId }: Pool) =>
  client.done<Runner[]>('GET', `/runners?executionEnvironmentId=${executionEnvironmentId}`)

test('a token authorizes its own pool, has the time of its last use, and authorizes nothing once it is revoked', async () => {
  const { pool, token, tokenId } = await poolOf(client)
  expect(pool.organizationId).toBe(owner.organizationId)
  expect(await client.done('GET', `/runner-tokens/${tokenId}`)).toMatchObject({ lastUsedAt: expect.any(String) })
  expect(await findPool(world.db, `${token}x`, new Date())).toBeUndefined()
  await client.ask('DELETE', `/runner-tokens/${tokenId}`)
  expect(await findPool(world.db, token, new Date())).toBeUndefined()
})

test('a runner is listed with its reported properties, is offline after a minute without a request and online after the next', async () => {
  const { pool, tokenId } = await poolOf(client)
  const runnerId = newId('rnr')
  await recordRunner(world.db, pool, { runnerId, ...registration }, minutesAgo(2))
  const shown = { ...registration, runnerTokenId: tokenId, isDraining: false, steps: [] }
  expect(await list(pool)).toMatchObject([{ ...shown, status: 'OFFLINE' }])
  await recordSeen(world.db, pool, runnerId, new Date())
  expect(await list(pool)).toMatchObject([{ ...shown, status: 'ONLINE' }])
  await recordRunner(world.db, pool, { runnerId, ...registration, version: '1.1.0' }, new Date())
  expect(await list(pool)).toMatchObject([{ ...shown, version: '1.1.0' }])
})

test('a runner can be drained and resumed, and a deleted one is gone', async () => {
  const { pool } = await poolOf(client)
  const runnerId = newId('rnr')
  await recordRunner(world.db, pool, { runnerId, ...registration }, new Date())
  const [{ id } = { id: '' }] = await list(pool)
  for (const wanted of [true, false]) {
    await client.done('PATCH', `/runners/${id}`, { data: { isDraining: wanted } })
    expect(await isDraining(world.db, pool, runnerId)).toBe(wanted)
  }
  expect(await client.ask('DELETE', `/runners/${id}`)).toMatchObject({ status: 204 })
  const gone = { status: 404, body: { code: apiErrors.runnerNotFound.code } }
  expect(await client.ask('GET', `/runners/${id}`)).toMatchObject(gone)
})

test('a runner without a request for a month is deleted when another one registers', async () => {
  const { pool } = await poolOf(client)
  await recordRunner(
    world.db,
    pool,
    { runnerId: newId('rnr'), ...registration, machine: 'old' },
    minutesAgo(60 * 24 * 31),
  )
  await recordRunner(world.db, pool, { runnerId: newId('rnr'), ...registration, machine: 'new' }, new Date())
  expect((await list(pool)).map(({ machine }) => machine)).toEqual(['new'])
})

test('a runner with the name of one in another pool is a different runner', async () => {
  const [mine, theirs] = [
    await poolOf(client),
    await poolOf(new Client(world.url, (await seedOrganization(world.db)).key)),
  ]
  const runnerId = newId('rnr')
  await recordRunner(world.db, mine.pool, { runnerId, ...registration }, new Date())
  await recordRunner(world.db, theirs.pool, { runnerId, ...registration, machine: 'theirs' }, new Date())
  expect((await list(mine.pool)).map(({ machine }) => machine)).toEqual(['rack-1'])
  const [{ id } = { id: '' }] = await list(mine.pool)
  await client.done('PATCH', `/runners/${id}`, { data: { isDraining: true } })
  expect(await isDraining(world.db, theirs.pool, runnerId)).toBe(false)
})
