import { apiErrors, type NewRunnerToken, type Runner } from '@sluice/contract'
import { runnerPaths } from '@sluice/contract/runner-protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { executionEnvironments } from '../../cloud/execution-environments/tables.ts'
import { newId } from '../../platform/ids.ts'
import { Client } from '../../testing/client.ts'
import { eventually } from '../../testing/eventually.ts'
import { addMember } from '../../testing/members.ts'
import { type RunnerTestApi, runnerOf, startRunnerTestApi } from '../runner/runner.fixture.ts'
import { runners } from './tables.ts'

let yard: RunnerTestApi
let client: Client

beforeAll(async () => {
  yard = await startRunnerTestApi()
  client = new Client(yard.url, await addMember(yard.db, yard.organizationId, 'OWNER'))
})
afterAll(() => yard?.[Symbol.asyncDispose]())

const program = { argv: ['true'] }

/** Creates a pool and a token for it. */
async function poolOf() {
  const { organizationId } = yard
  const id = newId('ee')
  const named = { givenId: id.replace('_', '-'), name: 'Pool', kind: 'runners' as const }
  await yard.db.insert(executionEnvironments).values({ id, organizationId, ...named })
  const data = { executionEnvironmentId: id, name: 'Rack' }
  const { token, id: tokenId } = await client.done<NewRunnerToken>('POST', '/runner-tokens', { data })
  return { id, token, tokenId }
}
const stepOf = (executionEnvironmentId: string | null) => yard.command(program, { step: { executionEnvironmentId } })
const runnersOf = (id: string) => client.done<Runner[]>('GET', `/runners?executionEnvironmentId=${id}`)
const claim = (token: string, runnerId: string) =>
  fetch(`${yard.url}${runnerPaths.claim}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ runnerId, most: 10, holds: [], waitMs: 0 }),
  })
const runnerName = () => `rnr_${'a'.repeat(26)}`

test('a step of a pool is executed only by its runner', async () => {
  const [mine, another] = [await poolOf(), await poolOf()]
  const inPool = await stepOf(mine.id)
  const shared = await stepOf(null)
  for (const token of [another.token, yard.runnerToken]) {
    const answer = await claim(token, runnerName())
    expect(answer.status).toBe(200)
    expect(JSON.stringify(await answer.json())).not.toContain(inPool)
  }
  await using _runner = await runnerOf(yard.parts({ token: mine.token, labels: ['gpu'] }))
  expect(await yard.untilOver(inPool)).toMatchObject({ status: 'SUCCESS' })
  expect((await yard.stepOf(shared)).runnerId, 'of the claim with the token of shared runners').toBe(runnerName())
  const told = { status: 'ONLINE', labels: ['gpu'], version: 'test', capacity: 4, isDraining: false }
  expect(await runnersOf(mine.id)).toMatchObject([told])
  expect(await runnersOf(another.id)).toEqual([])
})

test('a draining runner leases nothing, and continues when it is resumed', async () => {
  const { id: pool, token } = await poolOf()
  await using _runner = await runnerOf(yard.parts({ token }))
  const [{ id } = { id: '' }] = await runnersOf(pool)
  const drain = (isDraining: boolean) => client.done('PATCH', `/runners/${id}`, { data: { isDraining } })
  await drain(true)
  const step = await stepOf(pool)
  expect(await (await claim(token, (await rowsOf(pool)).runnerId)).json()).toEqual({ attempts: [] })
  expect((await yard.stepOf(step)).status).toBe('QUEUED')
  await drain(false)
  expect(await yard.untilOver(step)).toMatchObject({ status: 'SUCCESS' })
})

test('the steps of a runner are returned, and a revoked token authorizes nothing', async () => {
  const { id: pool, token, tokenId } = await poolOf()
  await using _runner = await runnerOf(yard.parts({ token }))
  const step = await yard.command({ argv: ['sleep', '30'] }, { step: { executionEnvironmentId: pool } })
  await yard.untilBegun(step)
  const [shown] = await eventually(
    'the step to be shown',
    () => runnersOf(pool),
    ([one]) => one?.steps.length === 1,
  )
  expect(shown?.steps).toMatchObject([{ stepExecutionId: step, stepName: 'a' }])
  await yard.cancel(step)
  await yard.untilOver(step)
  await client.ask('DELETE', `/runner-tokens/${tokenId}`)
  const refused = await claim(token, runnerName())
  expect(refused.status).toBe(401)
  expect(await refused.json()).toMatchObject({ code: apiErrors.unauthenticated.code })
})

async function rowsOf(executionEnvironmentId: string) {
  const rows = await yard.db.select().from(runners)
  const row = rows.find((one) => one.executionEnvironmentId === executionEnvironmentId)
  if (!row) throw new Error('the pool has no runner')
  return row
}
