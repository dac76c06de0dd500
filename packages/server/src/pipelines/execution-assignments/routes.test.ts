import type { ExecutionAssignment, ExecutionEnvironment, PipelineRun } from '@sluice/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eq } from '../../platform/db/drizzle.ts'
import { apiErrorOf } from '../../testing/api-errors.ts'
import { Client } from '../../testing/client.ts'
import { type SeededOrganization, seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { pipelineStepExecutions } from '../pipelines/tables.ts'
import { executionEnvironmentsOf } from './places.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
let owner: SeededOrganization
let client: Client
let other: Client

beforeAll(async () => {
  world = await startHttpWorld()
  owner = await seedOrganization(world.db)
  client = new Client(world.url, owner.key)
  other = new Client(world.url, (await seedOrganization(world.db)).key)
})
afterAll(() => world?.[Symbol.asyncDispose]())

let names = 0
const named = () => {
  names += 1
  return { givenId: `one-${names}`, name: 'One' }
}
const pool = async (as = client) =>
  (await as.done<ExecutionEnvironment>('POST', '/execution-environments', { data: { kind: 'runners', ...named() } })).id
const project = async () => (await client.done<{ id: string }>('POST', '/projects', { data: named() })).id
const assign = (parentType: string, parentId: string, executionEnvironmentId: string) =>
  client.ask('POST', '/execution-assignments', { data: { parentType, parentId, executionEnvironmentId } })
const assigned = async (...given: Parameters<typeof assign>) =>
  (await assign(...given)).body as { data: ExecutionAssignment }

/** Runs a pipeline with a command and a request, and returns the execution environments of its steps. */
async function placesOfRun(projectId: string, step: object = {}) {
  const { id: pipelineId } = await client.done<{ id: string }>('POST', '/pipelines', {
    data: { projectId, ...named() },
  })
  const steps = [
    { id: 'program', type: 'command', with: { argv: ['true'] }, ...step },
    { id: 'request', type: 'http', with: { url: 'https://example.com' } },
  ]
  const version = await client.ask('POST', '/pipeline-versions', { data: { pipelineId, config: { steps } } })
  if (version.status !== 201) return version
  const run = await client.ask('POST', '/pipeline-runs', { data: { pipelineId, inputs: {} } })
  if (run.status !== 201) return run
  const { data } = run.body as { data: PipelineRun }
  const rows = await world.db
    .select()
    .from(pipelineStepExecutions)
    .where(eq(pipelineStepExecutions.pipelineRunId, data.id))
  return Object.fromEntries(rows.map(({ stepId, executionEnvironmentId }) => [stepId, executionEnvironmentId]))
}

describe('assignments', () => {
  test('can be created, found by their parent, changed and deleted; a second one for the same parent is rejected', async () => {
    const [projectId, first, second] = [await project(), await pool(), await pool()]
    const { data } = await assigned('project', projectId, first)
    expect(data).toMatchObject({ parentType: 'project', parentId: projectId, executionEnvironmentId: first })
    expect(await client.done('GET', `/execution-assignments?parentId=${projectId}`)).toEqual([data])
    expect(await client.done('GET', `/execution-assignments?executionEnvironmentId=${second}`)).toEqual([])
    expect(await assign('project', projectId, second)).toMatchObject(apiErrorOf('executionAssignmentTaken'))
    const path = `/execution-assignments/${data.id}`
    const change = { data: { executionEnvironmentId: second } }
    expect(await client.done('PATCH', path, change)).toMatchObject({ executionEnvironmentId: second })
    expect(await client.ask('DELETE', path)).toMatchObject({ status: 204 })
    expect(await client.ask('GET', path)).toMatchObject(apiErrorOf('executionAssignmentNotFound'))
  })

  test('of an unknown parent, or one of another organization, are rejected', async () => {
    const [projectId, own, foreign] = [await project(), await pool(), await pool(other)]
    expect(await assign('project', projectId, foreign)).toMatchObject(apiErrorOf('referenceNotFound'))
    expect(await assign('project', 'prj_none', own)).toMatchObject(apiErrorOf('referenceNotFound'))
    expect(await assign('environment', projectId, own)).toMatchObject(apiErrorOf('referenceNotFound'))
    expect(await assign('organization', 'org_another', own)).toMatchObject(apiErrorOf('referenceNotFound'))
  })

  test('prevent the deletion of their execution environment', async () => {
    const [projectId, own] = [await project(), await pool()]
    const { data } = await assigned('project', projectId, own)
    const remove = () => client.ask('DELETE', `/execution-environments/${own}`)
    expect(await remove()).toMatchObject(apiErrorOf('executionEnvironmentInUse'))
    await client.ask('DELETE', `/execution-assignments/${data.id}`)
    expect(await remove()).toMatchObject({ status: 204 })
  })
})

describe('the execution environment of a step', () => {
  test('is that of its project or its own setting; steps without a program have none', async () => {
    const [projectId, far, near] = [await project(), await pool(), await pool()]
    expect(await placesOfRun(projectId)).toEqual({ program: null, request: null })
    await assigned('project', projectId, far)
    expect(await placesOfRun(projectId)).toEqual({ program: far, request: null })
    expect(await placesOfRun(projectId, { execution_environment_id: near })).toEqual({ program: near, request: null })
  })

  test('must exist in the organization when the step is saved', async () => {
    const projectId = await project()
    for (const execution_environment_id of [await pool(other), 'ee_01h455vb4pex5vsknk084sn02q', '<< inputs.x >>']) {
      const answer = await placesOfRun(projectId, { execution_environment_id })
      expect(answer).toMatchObject(apiErrorOf('pipelineConfigInvalid'))
      expect(JSON.stringify(answer)).toContain('execution_environment_id')
    }
  })

  test('is replaced by the shared runners while it is not ready', async () => {
    const account = await client.done<{ id: string }>('POST', '/cloud-accounts', { data: named() })
    const data = { ...named(), cloudAccountId: account.id, region: 'eu-west-1' }
    const made = await client.done<ExecutionEnvironment>('POST', '/execution-environments', { data })
    expect(made).toMatchObject({ kind: 'cloud', isReady: false })
    expect(await placesOfRun(await project(), { execution_environment_id: made.id })).toMatchObject({ program: null })
  })

  test('must exist for a run to start', async () => {
    const run = { organizationId: owner.organizationId, projectId: await project(), executionEnvironmentId: 'ee_gone' }
    const steps = [{ id: 'program', type: 'command' as const }]
    await expect(executionEnvironmentsOf(world.db, run, steps)).rejects.toThrow(
      'The organization has no execution environment ee_gone',
    )
  })
})
