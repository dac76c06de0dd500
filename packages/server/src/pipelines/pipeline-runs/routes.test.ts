import { csrfHeader, type PipelineRun, type PipelineStepExecution } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeSources } from '../../git/code-sources/tables.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { newId } from '../../platform/ids.ts'
import { apiErrorOf } from '../../testing/api-errors.ts'
import { Client } from '../../testing/client.ts'
import { type SeededOrganization, seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { cookieOf, visitor } from '../../testing/visitor.ts'
import { gitFeedback } from '../git-feedback/tables.ts'
import { pipelineRuns, pipelineStepExecutions } from '../pipelines/tables.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
let owner: SeededOrganization
let client: Client
let projectId: string

const config = {
  inputs: [{ id: 'image', type: 'string' }],
  steps: [
    { id: 'plan', name: 'Plan it', type: 'iac:plan', with: { stack: 'web', source: { files: {} } } },
    { id: 'apply', type: 'iac:apply' },
    { id: 'tell', type: 'http', needs: [], with: { url: 'https://example.com/' } },
    {
      id: 'deploy',
      type: 'deploy',
      needs: ['apply', 'tell'],
      with: { module_instance: 'web', environment: 'production' },
    },
  ],
}

beforeAll(async () => {
  world = await startHttpWorld(undefined, { registration: 'open' })
  owner = await seedOrganization(world.db)
  client = new Client(world.url, owner.key)
  const project = { data: { givenId: 'shop', name: 'Shop' } }
  projectId = (await client.done<{ id: string }>('POST', '/projects', project)).id
})
afterAll(() => world?.[Symbol.asyncDispose]())

let names = 0
async function createPipeline(): Promise<string> {
  names += 1
  const data = { projectId, givenId: `release-${names}`, name: 'Release' }
  return (await client.done<{ id: string }>('POST', '/pipelines', { data })).id
}
async function addVersion(pipelineId: string, more: object = config): Promise<string> {
  const data = { pipelineId, config: more }
  return (await client.done<{ id: string }>('POST', '/pipeline-versions', { data })).id
}
const run = (data: object) => client.done<PipelineRun>('POST', '/pipeline-runs', { data })
const stepsOf = (runId: string) =>
  client.done<PipelineStepExecution[]>('GET', `/pipeline-step-executions?pipelineRunId=${runId}`)

test('a run queues the steps of the latest version, in their order', async () => {
  const pipelineId = await createPipeline()
  await addVersion(pipelineId, { steps: [{ id: 'ask', type: 'approval' }] })
  const pipelineVersionId = await addVersion(pipelineId)
  const created = await run({ pipelineId, description: 'Release 7', inputs: { image: 'web:7' } })
  expect(created).toEqual({
    id: expect.stringMatching(/^run_/),
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    organizationId: owner.organizationId,
    pipelineId,
    pipelineVersionId,
    description: 'Release 7',
    inputs: { image: 'web:7' },
    status: 'QUEUED',
    triggerSource: 'API',
    triggeredBy: expect.stringContaining('@'),
  })
  expect(await client.done('GET', `/pipeline-runs/${created.id}`)).toEqual(created)
  // Lists return the newest first.
  const steps = (await stepsOf(created.id)).reverse()
  const waits = (...needs: string[]) => ({ queueReason: 'DEPENDENCIES', queueMetadata: { needs } })
  const ready = { queueReason: 'READY', queueMetadata: {} }
  expect(steps).toMatchObject([
    { stepId: 'plan', stepName: 'Plan it', stepType: 'iac:plan', ...ready },
    { stepId: 'apply', stepName: 'apply', stepType: 'iac:apply', ...waits('plan') },
    { stepId: 'tell', ...ready },
    { stepId: 'deploy', ...waits('apply', 'tell') },
  ])
  expect(steps[0]).toEqual({
    id: expect.stringMatching(/^step_/),
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    organizationId: owner.organizationId,
    pipelineRunId: created.id,
    stepId: 'plan',
    stepName: 'Plan it',
    stepType: 'iac:plan',
    status: 'QUEUED',
    ...ready,
    attemptEpoch: 0,
    retryAttempt: 0,
    isLastRetry: true,
    engineRunId: '',
    engineWorkflowId: steps[0]?.id,
  })
  expect(await client.done('GET', `/pipeline-step-executions/${steps[0]?.id}`)).toEqual(steps[0])
})

test('a run has the client that started it: a program, the command line or the console', async () => {
  const pipelineId = await createPipeline()
  await addVersion(pipelineId)
  expect(await run({ pipelineId })).toMatchObject({ triggerSource: 'API' })
  const { post, register, login } = visitor(world)
  const line = { authorization: `Bearer ${owner.key}`, 'user-agent': 'sluice-cli' }
  expect((await post('/pipeline-runs', { pipelineId }, line)).body.data).toMatchObject({ triggerSource: 'CLI' })

  await register('grace@example.com')
  const cookie = cookieOf((await login('grace@example.com')).headers)
  const asGrace = async (path: string, data: object) =>
    (await post(path, data, { cookie, [csrfHeader]: '1' })).body.data as { id: string }
  const project = await asGrace('/projects', { givenId: 'shop', name: 'Shop' })
  const pipeline = await asGrace('/pipelines', { projectId: project.id, givenId: 'release', name: 'Release' })
  await asGrace('/pipeline-versions', { pipelineId: pipeline.id, config })
  expect(await asGrace('/pipeline-runs', { pipelineId: pipeline.id })).toMatchObject({ triggerSource: 'CONSOLE' })
})

test('a run can use a given version', async () => {
  const pipelineId = await createPipeline()
  const pipelineVersionId = await addVersion(pipelineId, { steps: [{ id: 'only', type: 'approval' }] })
  await addVersion(pipelineId)
  const { id } = await run({ pipelineId, pipelineVersionId })
  expect((await stepsOf(id)).map(({ stepId }) => stepId)).toEqual(['only'])
})

test('a run requires a pipeline with a version, and a version of that pipeline', async () => {
  const [pipelineId, other] = [await createPipeline(), await createPipeline()]
  const ask = (data: object) => client.ask('POST', '/pipeline-runs', { data })
  expect(await ask({ pipelineId })).toMatchObject(apiErrorOf('pipelineHasNoVersion'))
  const foreign = await addVersion(other)
  expect(await ask({ pipelineId, pipelineVersionId: foreign })).toMatchObject(apiErrorOf('pipelineVersionMismatch'))
  for (const missing of [{ pipelineId: 'pl_x' }, { pipelineId, pipelineVersionId: 'plv_x' }]) {
    expect(await ask(missing)).toMatchObject(apiErrorOf('referenceNotFound'))
  }
})

test('runs are listed by pipeline and status', async () => {
  const [pipelineId, other] = [await createPipeline(), await createPipeline()]
  await addVersion(pipelineId)
  await addVersion(other)
  const [first, second] = [await run({ pipelineId }), await run({ pipelineId })]
  await run({ pipelineId: other })
  await client.done('POST', `/pipeline-runs/${first.id}/cancel`)
  const ids = async (query: string) =>
    (await client.done<PipelineRun[]>('GET', `/pipeline-runs?${query}`)).map(({ id }) => id)
  expect(await ids(`pipelineId=${pipelineId}`)).toEqual([second.id, first.id])
  expect(await ids(`pipelineId=${pipelineId}&status=CANCELLED`)).toEqual([first.id])
  expect(await ids(`pipelineId=${pipelineId}&status=CANCELLED&status=QUEUED`)).toEqual([second.id, first.id])
})

test('a run is cancelled once, with its unfinished steps', async () => {
  const pipelineId = await createPipeline()
  await addVersion(pipelineId)
  const { id } = await run({ pipelineId })
  const [done] = (await stepsOf(id)).reverse()
  await world.db
    .update(pipelineStepExecutions)
    .set({ status: 'SUCCESS' })
    .where(eq(pipelineStepExecutions.id, done?.id ?? ''))
  const cancelled = await client.done<PipelineRun>('POST', `/pipeline-runs/${id}/cancel`)
  const error = { code: 'Sluice:PipelineRuns:CANCELLED', message: expect.stringContaining('cancelled the run') }
  expect(cancelled).toMatchObject({ id, status: 'CANCELLED', completedAt: expect.any(String), error })
  const steps = (await stepsOf(id)).reverse()
  expect(steps.map(({ status }) => status)).toEqual(['SUCCESS', 'CANCELLED', 'CANCELLED', 'CANCELLED'])
  expect(steps[1]).toMatchObject({ completedAt: expect.any(String), error })
  expect(await client.ask('POST', `/pipeline-runs/${id}/cancel`)).toMatchObject(apiErrorOf('pipelineRunOver'))
  expect(await client.ask('POST', '/pipeline-runs/run_x/cancel')).toMatchObject(apiErrorOf('pipelineRunNotFound'))
})

test.each(['SUCCESS', 'ERROR'] as const)('a run that ended with %s cannot be cancelled', async (status) => {
  const pipelineId = await createPipeline()
  await addVersion(pipelineId)
  const { id } = await run({ pipelineId })
  await world.db.update(pipelineRuns).set({ status }).where(eq(pipelineRuns.id, id))
  expect(await client.ask('POST', `/pipeline-runs/${id}/cancel`)).toMatchObject(apiErrorOf('pipelineRunOver'))
  expect(await client.done('GET', `/pipeline-runs/${id}`)).toMatchObject({ status })
})

test('the Git host gets a report about the retry of a reported run', async () => {
  const { organizationId } = owner
  const pipelineId = await createPipeline()
  await addVersion(pipelineId)
  const { id } = await run({ pipelineId })
  const [codeSourceId, at] = [newId('cs'), { branch: 'main', commit: 'a'.repeat(40) }]
  const repository = { repoUrl: 'https://git.example/acme/shop', repoName: 'shop', visibility: 'PUBLIC' } as const
  const source = { ...repository, type: 'GITHOSTA', auth: { kind: 'none' } } as const
  await world.db.insert(codeSources).values({ id: codeSourceId, organizationId, ...source })
  const told = { organizationId, codeSourceId, pipelineId, ...at, toldStatus: 'ERROR' } as const
  await world.db.insert(gitFeedback).values({ ...told, id: newId('gfb'), pipelineRunId: id })
  await client.done('POST', `/pipeline-runs/${id}/cancel`)
  const retry = await client.done<PipelineRun>('POST', `/pipeline-runs/${id}/retry`)
  const [row] = await world.db.select().from(gitFeedback).where(eq(gitFeedback.pipelineRunId, retry.id))
  expect(row).toMatchObject({ codeSourceId, ...at, toldStatus: null, wakeAt: expect.any(Date) })
})
