import type { IacExecutionSummary, IacResource } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { pipelineRuns, pipelineStepExecutions } from '../../pipelines/pipelines/tables.ts'
import { newId } from '../../platform/ids.ts'
import { apiErrorOf } from '../../testing/api-errors.ts'
import { Client } from '../../testing/client.ts'
import { startHttpWorld } from '../../testing/http-world.ts'
import { addMember } from '../../testing/members.ts'
import { createOneOfEverything, type OneOfEverything } from '../../testing/resources.ts'
import { iacResources } from './tables.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
let client: Client
let made: OneOfEverything
let pipelineId: string
let stackId: string

beforeAll(async () => {
  world = await startHttpWorld()
  made = await createOneOfEverything(world.db)
  pipelineId = made.byPath.pipelines ?? ''
  stackId = made.byPath.stacks ?? ''
  client = new Client(world.url, await addMember(world.db, made.organizationId, 'VIEWER'))
})
afterAll(() => world?.[Symbol.asyncDispose]())

type Row = Partial<typeof iacResources.$inferInsert>

/** Creates a run with these resources: applied ones in its apply step, others in its plan step. */
async function run(resources: Row[], more: Partial<typeof pipelineRuns.$inferInsert> = {}): Promise<string> {
  const { organizationId } = made
  const pipelineRunId = newId('run')
  const pipelineVersionId = made.byPath['pipeline-versions'] ?? ''
  const begun = { inputs: {}, status: 'SUCCESS', triggerSource: 'API', triggeredBy: 'Ada' } as const
  await world.db
    .insert(pipelineRuns)
    .values({ id: pipelineRunId, organizationId, pipelineId, pipelineVersionId, ...begun, ...more })
  const [plan, apply] = [await stepOf(pipelineRunId, 'plan'), await stepOf(pipelineRunId, 'apply')]
  const ids = resources.map(() => newId('iac')).sort()
  for (const [index, resource] of resources.entries()) {
    const stepExecutionId = resource.runType === 'APPLY' ? apply : plan
    const place = { organizationId, pipelineId, pipelineRunId, stepExecutionId, stackId }
    await world.db.insert(iacResources).values({ id: ids[index] ?? '', ...place, ...usual, ...resource })
  }
  return pipelineRunId
}

async function stepOf(pipelineRunId: string, stepId: string): Promise<string> {
  const id = newId('step')
  const named = { stepId, stepName: stepId, stepType: `iac:${stepId}`, engineWorkflowId: id }
  const over = { status: 'SUCCESS', queueReason: 'READY', queueMetadata: {} } as const
  const { organizationId } = made
  await world.db.insert(pipelineStepExecutions).values({ id, organizationId, pipelineRunId, ...named, ...over })
  return id
}

const usual = {
  address: 'cloud_service.app',
  provider: 'cloud',
  resourceName: 'app',
  resourceType: 'cloud_service',
  changeType: 'CREATE',
  runType: 'PLAN',
  driftStatus: 'UNKNOWN',
  isInCurrentState: false,
  vendor: 'IAC_TOOL',
  vendorData: { before: null, after: { size: 1 } },
} as const satisfies Row

const summary = (address: string, query: string) =>
  client.ask('GET', `/iac-resources/${encodeURIComponent(address)}/change-summary?${query}`)

test('a resource is returned with all its fields', async () => {
  const optional = { indexKey: '0', moduleAddress: 'module.web', error: { code: 'Sluice:Test:FAILED', message: 'no' } }
  const pipelineRunId = await run([{ address: 'module.web.x[0]', ...optional, tainted: true }])
  const [resource] = await client.done<IacResource[]>('GET', `/iac-resources?pipelineRunId=${pipelineRunId}`)
  expect(resource).toEqual({
    id: expect.stringMatching(/^iac_/),
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    organizationId: made.organizationId,
    pipelineRunId,
    stepExecutionId: expect.stringMatching(/^step_/),
    stackId,
    ...usual,
    address: 'module.web.x[0]',
    ...optional,
    tainted: true,
  })
  expect(await client.done('GET', `/iac-resources/${resource?.id}`)).toEqual(resource)
  expect(await client.ask('GET', '/iac-resources/iac_x')).toMatchObject(apiErrorOf('iacResourceNotFound'))
})

test('the reasons for a change are returned in an include, next to the closed objects', async () => {
  const why = {
    reasons: ['IMPORT', 'MOVE'],
    previousAddress: 'cloud_service.old',
    importId: 'i-1',
  } satisfies Row['changeReasons']
  const address = 'cloud_service.moved'
  const changeReasons = { address, changeReasons: why }
  const id = await run([changeReasons, { ...changeReasons, runType: 'APPLY' }, { address: 'cloud_service.early' }])
  const page = await client.ask('GET', `/iac-resources?pipelineRunId=${id}&limit=2&include=change-reasons`)
  const { data, included } = page.body as { data: IacResource[]; included: Record<string, object> }
  const expected = data.map((one) => [one.id, one.address === address ? why : { reasons: [] }])
  expect(included).toEqual({ 'change-reasons': Object.fromEntries(expected) })
  const [one] = await client.done<IacResource[]>('GET', `/iac-resources?pipelineRunId=${id}&address=${address}`)
  expect(await client.ask('GET', `/iac-resources/${one?.id}?include=change-reasons`)).toMatchObject({
    body: { data: one, included: { 'change-reasons': why } },
  })
  const { body } = await summary(address, `pipelineId=${pipelineId}&startRunId=${id}&include=change-reasons`)
  expect(body).toMatchObject({ included: { 'change-reasons': { fromRun: why, toRun: why } } })
})

test('a page holds up to 500 resources, so that a large plan needs few requests', async () => {
  const runId = await run(Array.from({ length: 101 }, (_, index) => ({ address: `cloud_service.app[${index}]` })))
  const found = await client.done<IacResource[]>('GET', `/iac-resources?pipelineRunId=${runId}&limit=500`)
  expect(found).toHaveLength(101)
  expect(await client.ask('GET', '/iac-resources?limit=501')).toMatchObject(apiErrorOf('requestInvalid'))
})

test('filters narrow the list', async () => {
  const address = 'module.a["x/y"].b'
  const runId = await run([
    { address },
    { address: 'c.d', changeType: 'DELETE' },
    { address: 'e.f', changeType: 'NO_OP' },
  ])
  const found = async (query: string) =>
    (await client.done<IacResource[]>('GET', `/iac-resources?pipelineRunId=${runId}&${query}`)).map(
      (one) => one.address,
    )
  expect(await found(`stackId=${stackId}`)).toEqual(['e.f', 'c.d', address])
  expect(await found('stackId=stk_other')).toEqual([])
  expect(await found('changeType=DELETE&changeType=CREATE')).toEqual(['c.d', address])
  expect(await found(`address=${encodeURIComponent(address)}`)).toEqual([address])
})

test(
  'a change summary is found by every form of address',
  everyCase(
    [
      'cloud_service.app',
      'module.web["a/b"].cloud_service.app[0]',
      `module.x['it''s'].y["100%"].z["a?b#c&d=e+f"]`,
      'data.a.b["ü €"].c["%2F"]',
      'a/change-summary',
    ],
    async (address) => {
      const applied = { address, moduleAddress: 'module.m', indexKey: 'k', runType: 'APPLY' } as const
      const id = await run([applied], { description: 'Release 1' })
      const answer = await summary(address, `pipelineId=${pipelineId}&startRunId=${id}&endRunId=${id}`)
      expect(answer.status).toBe(200)
      const reference = { id, changeType: 'CREATE', description: 'Release 1', failed: false }
      expect(answer.body).toEqual({
        data: {
          address,
          pipelineId,
          provider: 'cloud',
          resourceName: 'app',
          resourceType: 'cloud_service',
          moduleAddress: 'module.m',
          indexKey: 'k',
          fromRun: reference,
          toRun: reference,
          runsInRange: 1,
        },
      })
    },
  ),
)

test('a range extends from the first to the last run that changed the resource', async () => {
  const address = 'ranged.one'
  const applied = { address, runType: 'APPLY' } as const
  const before = await run([{ ...applied, address: 'other.one' }])
  await run([{ address, changeType: 'CREATE' }]) // only planned
  const first = await run([{ address }, applied])
  const second = await run([
    { address, changeType: 'UPDATE' },
    { ...applied, changeType: 'UPDATE' },
  ])
  const startedAt = new Date()
  const third = await run([{ ...applied, changeType: 'DELETE' }], { status: 'ERROR', startedAt })
  await run([{ address, runType: 'DESTROY', changeType: 'DELETE' }]) // the end of the range, also only planned
  const after = await run([
    { ...applied, address: 'other.one' },
    { address, changeType: 'NO_OP' },
  ])
  const range = async (query: string) => {
    const { body } = await summary(address, `pipelineId=${pipelineId}&${query}`)
    const { fromRun, toRun, runsInRange } = (body as { data: { fromRun: object; toRun: object; runsInRange: number } })
      .data
    return [fromRun, toRun, runsInRange]
  }
  const one = { id: first, changeType: 'CREATE', failed: false }
  const two = { id: second, changeType: 'UPDATE', failed: false }
  const three = { id: third, changeType: 'DELETE', failed: true, startedAt: startedAt.toISOString() }
  expect(await range('')).toEqual([one, three, 3])
  expect(await range(`startRunId=${before}&endRunId=${after}`)).toEqual([one, three, 3])
  expect(await range(`startRunId=${second}`)).toEqual([two, three, 2])
  expect(await range(`endRunId=${second}`)).toEqual([one, two, 2])
  expect(await range(`startRunId=${second}&endRunId=${second}`)).toEqual([two, two, 1])
  const none = await summary(address, `pipelineId=${pipelineId}&startRunId=${after}`)
  expect(none).toMatchObject(apiErrorOf('iacResourceNotFound'))
})

test('a run that planned and applied a resource reports the result', async () => {
  const address = 'applied.one'
  const error = { code: 'Sluice:Test:FAILED', message: 'no' }
  await run([{ address }, { address, changeType: 'REPLACE', runType: 'APPLY', error }])
  expect(await summary(address, `pipelineId=${pipelineId}`)).toMatchObject({
    body: {
      data: { fromRun: { changeType: 'REPLACE', failed: true }, toRun: { changeType: 'REPLACE' }, runsInRange: 1 },
    },
  })
})

test('a range requires a pipeline, and its runs in order', async () => {
  const [first, second] = [await run([]), await run([])]
  const stranger = (await createOneOfEverything(world.db)).byPath
  const asked = (query: string) => summary('cloud_service.app', query)
  expect(await asked('')).toMatchObject(apiErrorOf('requestInvalid'))
  expect(await asked('pipelineId=pl_x')).toMatchObject(apiErrorOf('pipelineNotFound'))
  expect(await asked(`pipelineId=${stranger.pipelines}`)).toMatchObject(apiErrorOf('pipelineNotFound'))
  const foreign = `pipelineId=${pipelineId}&endRunId=${stranger['pipeline-runs']}`
  expect(await asked(foreign)).toMatchObject(apiErrorOf('pipelineRunNotFound'))
  const backwards = `pipelineId=${pipelineId}&startRunId=${second}&endRunId=${first}`
  expect(await asked(backwards)).toMatchObject(apiErrorOf('requestInvalid'))
})

test('a summary of a run counts each resource once, by its final state', async () => {
  const idle = await run([])
  const error = { code: 'Sluice:Test:FAILED', message: 'no' }
  const id = await run([
    { address: 'a' },
    { address: 'a', changeType: 'UPDATE', runType: 'APPLY', error },
    { address: 'b', changeType: 'UPDATE' },
    { address: 'c', changeType: 'NO_OP' },
  ])
  const none = { CREATE: 0, REPLACE: 0, DELETE: 0, READ: 0, IMPORT: 0, FORGET: 0 }
  const expected = { pipelineRunId: id, totalCount: 3, failedCount: 1, changeCounts: { ...none, UPDATE: 2, NO_OP: 1 } }
  expect(await client.done('GET', `/iac-execution-summaries?pipelineRunId=${id}`)).toEqual([expected])
  expect(await client.done('GET', `/iac-execution-summaries?pipelineRunId=${idle}`)).toEqual([])
  const [latest] = await client.done<IacExecutionSummary[]>(
    'GET',
    `/iac-execution-summaries?pipelineId=${pipelineId}&limit=1`,
  )
  expect(latest).toEqual(expected)
  expect(await client.done('GET', '/iac-execution-summaries?pipelineId=pl_x')).toEqual([])
})

test('an admin sets the price list, readers of plans can view it, and changes are audited', async () => {
  const admin = new Client(world.url, await addMember(world.db, made.organizationId, 'ADMIN'))
  const before = await client.done('GET', '/price-list')
  expect(before).toEqual({ currency: 'USD', prices: [] })
  const list = { currency: 'EUR', prices: [{ resourceType: 'disk', where: { size: '10' }, monthly: '0.10' }] }
  expect(await admin.done('PATCH', '/price-list', { data: list })).toEqual(list)
  expect(await client.done('GET', '/price-list')).toEqual(list)
  expect((await client.ask('PATCH', '/price-list', { data: list })).status).toBe(403)
  const owner = new Client(world.url, await addMember(world.db, made.organizationId, 'OWNER'))
  const [event] = await owner.done<object[]>('GET', '/audit-events?resourceType=price-list&limit=1')
  expect(event).toMatchObject({ action: 'price-list.update', details: list, before })
})

test(
  'an invalid or too long price list is rejected',
  everyCase(
    [
      { currency: 'euro', prices: [] },
      { currency: 'EUR', prices: [{ resourceType: 'disk', monthly: '1e3' }] },
      { currency: 'EUR', prices: [{ resourceType: 'disk', monthly: '-1' }] },
      { currency: 'EUR', prices: Array.from({ length: 501 }, () => ({ resourceType: 'disk', monthly: '1' })) },
    ],
    async (data) => {
      const admin = new Client(world.url, await addMember(world.db, made.organizationId, 'ADMIN'))
      expect((await admin.ask('PATCH', '/price-list', { data })).status).toBe(400)
    },
  ),
)
