import type { PipelineRun } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Client } from '../../testing/client.ts'
import { seedOrganization, startHttpWorld } from '../../testing/http-world.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
let client: Client
let projectId: string
beforeAll(async () => {
  world = await startHttpWorld()
  client = new Client(world.url, (await seedOrganization(world.db)).key)
  const project = { data: { givenId: 'shop', name: 'Shop' } }
  projectId = (await client.done<{ id: string }>('POST', '/projects', project)).id
})
afterAll(() => world?.[Symbol.asyncDispose]())

async function pipeline(givenId: string): Promise<string> {
  const data = { projectId, givenId, name: givenId }
  const { id } = await client.done<{ id: string }>('POST', '/pipelines', { data })
  const config = { inputs: [{ id: 'image', type: 'string' }], steps: [{ id: 'ask', type: 'approval' }] }
  await client.done('POST', '/pipeline-versions', { data: { pipelineId: id, config } })
  return id
}

const run = async (pipelineId: string) =>
  (await client.done<PipelineRun>('POST', '/pipeline-runs', { data: { pipelineId } })).id

type WithNumber = { data: PipelineRun; included: { number: number } }
const numberOf = async (id: string) =>
  ((await client.ask('GET', `/pipeline-runs/${id}?include=number`)).body as WithNumber).included.number

test('runs are numbered from 1 in each pipeline', async () => {
  const [web, site] = [await pipeline('web'), await pipeline('site')]
  const made = [await run(web), await run(site), await run(web)]
  expect(await Promise.all(made.map(numberOf))).toEqual([1, 1, 2])
})

test('concurrent runs have different numbers', async () => {
  const busy = await pipeline('busy')
  const made = await Promise.all(Array.from({ length: 12 }, () => run(busy)))
  const numbers = await Promise.all(made.map(numberOf))
  expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, at) => at + 1))
})

test('a rejected run uses no number', async () => {
  const pipelineId = await pipeline('strict')
  expect((await client.ask('POST', '/pipeline-runs', { data: { pipelineId, inputs: { image: 5 } } })).status).toBe(400)
  expect(await numberOf(await run(pipelineId))).toBe(1)
})

test('a list returns the numbers of its runs on request, without changing the run itself', async () => {
  const pipelineId = await pipeline('listed')
  const [first = '', second = ''] = [await run(pipelineId), await run(pipelineId)]
  const { body } = await client.ask('GET', `/pipeline-runs?pipelineId=${pipelineId}&include=number`)
  expect(body).toMatchObject({ included: { number: { [first]: 1, [second]: 2 } } })
  expect(JSON.stringify((body as { data: object[] }).data)).not.toContain('"number"')
  expect((await client.ask('GET', `/pipeline-runs?pipelineId=${pipelineId}`)).body).not.toHaveProperty('included')
})

test('a number stays the same when other runs are deleted or the run changes', async () => {
  const pipelineId = await pipeline('lasting')
  const id = await run(pipelineId)
  await run(pipelineId)
  await client.done('POST', `/pipeline-runs/${id}/cancel`, {})
  expect(await numberOf(id)).toBe(1)
})
