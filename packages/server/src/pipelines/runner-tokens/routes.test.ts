import { apiErrors, type ExecutionEnvironment, type NewRunnerToken } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Client } from '../../testing/client.ts'
import { seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { runnerTokens } from './tables.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
let client: Client

beforeAll(async () => {
  world = await startHttpWorld()
  client = new Client(world.url, (await seedOrganization(world.db)).key)
})
afterAll(() => world?.[Symbol.asyncDispose]())

const create = (executionEnvironmentId: string) =>
  client.ask('POST', '/runner-tokens', { data: { executionEnvironmentId, name: 'Rack 1' } })

test('a token is returned once, listed by its hint, stored as a hash and deleted when it is revoked', async () => {
  const data = { kind: 'runners', givenId: 'pool', name: 'Pool' }
  const pool = await client.done<ExecutionEnvironment>('POST', '/execution-environments', { data })
  const answer = await create(pool.id)
  expect(answer.status).toBe(201)
  const { token, ...shown } = (answer.body as { data: NewRunnerToken }).data
  expect(token).toMatch(/^slr_[\w-]{43}$/)
  expect(shown).toMatchObject({ executionEnvironmentId: pool.id, name: 'Rack 1', tokenHint: token.slice(0, 8) })
  expect(await client.done('GET', `/runner-tokens?executionEnvironmentId=${pool.id}`)).toEqual([shown])
  expect(JSON.stringify(await world.db.select().from(runnerTokens))).not.toContain(token.slice(8))
  expect(await client.ask('DELETE', `/runner-tokens/${shown.id}`)).toMatchObject({ status: 204 })
  const gone = { status: 404, body: { code: apiErrors.runnerTokenNotFound.code } }
  expect(await client.ask('GET', `/runner-tokens/${shown.id}`)).toMatchObject(gone)
})

test('no token can be created for an execution environment in a cloud account', async () => {
  const account = await client.done<{ id: string }>('POST', '/cloud-accounts', { data: { givenId: 'a', name: 'A' } })
  const data = { givenId: 'place', name: 'Place', cloudAccountId: account.id, region: 'eu-west-1' }
  const { id } = await client.done<ExecutionEnvironment>('POST', '/execution-environments', { data })
  const refused = { status: 422, body: { code: apiErrors.executionEnvironmentHasNoRunners.code } }
  expect(await create(id)).toMatchObject(refused)
})
