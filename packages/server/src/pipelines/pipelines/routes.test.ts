import { apiErrors, type Pipeline } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { apiErrorOf } from '../../testing/api-errors.ts'
import { Client } from '../../testing/client.ts'
import { type SeededOrganization, seedOrganization, startHttpWorld } from '../../testing/http-world.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
let owner: SeededOrganization
let client: Client
let projectId: string
let otherProjectId: string

beforeAll(async () => {
  world = await startHttpWorld()
  owner = await seedOrganization(world.db)
  client = new Client(world.url, owner.key)
  projectId = await createProject('shop')
  otherProjectId = await createProject('office')
})
afterAll(() => world?.[Symbol.asyncDispose]())

async function createProject(givenId: string): Promise<string> {
  return (await client.done<{ id: string }>('POST', '/projects', { data: { givenId, name: givenId } })).id
}

let names = 0
const create = (more: object = {}) => {
  names += 1
  const data = { projectId, givenId: `release-${names}`, name: 'Release', ...more }
  return client.done<Pipeline>('POST', '/pipelines', { data })
}
async function run(pipelineId: string): Promise<string> {
  return (await client.done<{ id: string }>('POST', '/pipeline-runs', { data: { pipelineId } })).id
}
const addVersion = (pipelineId: string) =>
  client.done('POST', '/pipeline-versions', {
    data: { pipelineId, config: { steps: [{ id: 'ask', type: 'approval' }] } },
  })

test('a pipeline can be created, read and listed', async () => {
  const pipeline = await create({ description: 'd' })
  expect(pipeline).toEqual({
    id: expect.stringMatching(/^pl_/),
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    organizationId: owner.organizationId,
    projectId,
    givenId: pipeline.givenId,
    name: 'Release',
    description: 'd',
  })
  expect(await client.done('GET', `/pipelines/${pipeline.id}`)).toEqual(pipeline)
  expect(await client.done('GET', `/pipelines?projectId=${projectId}&givenId=${pipeline.givenId}`)).toEqual([pipeline])
  expect(await client.done('GET', `/pipelines?projectId=${otherProjectId}`)).toEqual([])
})

test('a pipeline has its latest run, also in lists', async () => {
  const [first, second, idle] = [await create(), await create(), await create()]
  await addVersion(first.id)
  await addVersion(second.id)
  await run(first.id)
  const latest = await run(first.id)
  const other = await run(second.id)
  await client.done('POST', `/pipeline-runs/${other}/cancel`)
  expect(await client.done('GET', `/pipelines/${first.id}`)).toMatchObject({
    latestRunId: latest,
    latestRunStatus: 'QUEUED',
  })
  expect(await client.done('GET', `/pipelines/${idle.id}`)).not.toHaveProperty('latestRunId')
  const listed = await client.done<Pipeline[]>('GET', '/pipelines?limit=3')
  expect(listed.map(({ id, latestRunId, latestRunStatus }) => [id, latestRunId, latestRunStatus])).toEqual([
    [idle.id, undefined, undefined],
    [second.id, other, 'CANCELLED'],
    [first.id, latest, 'QUEUED'],
  ])
})

test('a givenId is unique within a project', async () => {
  const { givenId, id } = await create()
  const taken = apiErrorOf('pipelineGivenIdTaken')
  expect(await client.ask('POST', '/pipelines', { data: { projectId, givenId, name: 'R' } })).toMatchObject(taken)
  const elsewhere = await create({ projectId: otherProjectId, givenId })
  expect(await client.ask('PATCH', `/pipelines/${elsewhere.id}`, { data: { projectId } })).toMatchObject(taken)
  const second = await create()
  expect(await client.ask('PATCH', `/pipelines/${second.id}`, { data: { givenId } })).toMatchObject(taken)
  expect(await client.ask('PATCH', `/pipelines/${id}`, { data: { givenId } })).toMatchObject({ status: 200 })
})

test('a pipeline requires an existing project', async () => {
  const missing = apiErrorOf('referenceNotFound')
  const data = { projectId: 'prj_nobody', givenId: 'a', name: 'A' }
  expect(await client.ask('POST', '/pipelines', { data })).toMatchObject(missing)
  const { id } = await create()
  expect(await client.ask('PATCH', `/pipelines/${id}`, { data: { projectId: 'prj_nobody' } })).toMatchObject(missing)
})

test('an update changes only the given fields', async () => {
  const before = await create({ description: 'old' })
  const path = `/pipelines/${before.id}`
  expect(await client.done('PATCH', path, { data: { name: 'New', projectId: otherProjectId } })).toEqual({
    ...before,
    name: 'New',
    projectId: otherProjectId,
    updatedAt: expect.any(String),
  })
  expect(await client.done('PATCH', path, { data: {} })).toMatchObject({ name: 'New', description: 'old' })
  expect(await client.ask('PATCH', path, { data: { latestRunId: 'run_x' } })).toMatchObject(
    apiErrorOf('requestInvalid'),
  )
  expect(await client.ask('PATCH', '/pipelines/pl_x', { data: {} })).toMatchObject(apiErrorOf('pipelineNotFound'))
})

test('a pipeline with an active run cannot be deleted; afterwards it is deleted with all its data', async () => {
  const { id, givenId } = await create()
  await addVersion(id)
  const runId = await run(id)
  expect(await client.ask('DELETE', `/pipelines/${id}`)).toMatchObject({
    status: 409,
    body: {
      code: apiErrors.pipelineInUse.code,
      message: expect.stringContaining(givenId),
      details: [{ items: [`pipeline run ${runId}`] }],
    },
  })
  await client.done('POST', `/pipeline-runs/${runId}/cancel`)
  expect(await client.ask('DELETE', `/pipelines/${id}`)).toMatchObject({ status: 204, body: undefined })
  expect(await client.ask('DELETE', `/pipelines/${id}`)).toMatchObject(apiErrorOf('pipelineNotFound'))
  expect(await client.ask('GET', `/pipeline-runs/${runId}`)).toMatchObject(apiErrorOf('pipelineRunNotFound'))
})
