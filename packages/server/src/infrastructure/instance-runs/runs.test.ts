import {
  apiErrors,
  failures,
  type ModuleDefinition,
  type ModuleInstance,
  type Pipeline,
  type PipelineRun,
  type PipelineVersion,
} from '@sluice/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { executionEnvironments } from '../../cloud/execution-environments/tables.ts'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { pipelineRuns, pipelineStepExecutions } from '../../pipelines/pipelines/tables.ts'
import { and, desc, eq, ne } from '../../platform/db/drizzle.ts'
import { stacks, stackWorkspaces } from '../../stacks/stacks/tables.ts'
import { apiErrorOf } from '../../testing/api-errors.ts'
import { Client } from '../../testing/client.ts'
import { type SeededOrganization, seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { instanceRunEnded } from './ended.ts'

type Json = Record<string, unknown>

let world: Awaited<ReturnType<typeof startHttpWorld>>
let owner: SeededOrganization
let client: Client
let network: ModuleDefinition
let service: ModuleDefinition
let projectId: string
let environmentId: string

const label = 'x'
const config = {
  inputs: [
    { id: 'size', label, type: 'number', default: 1 },
    { id: 'workspace', label, type: 'string' },
  ],
  stack: {
    type: 'iac',
    service_state_backend_workspace:
      '<< module.input.workspace || project.given_id + "-" + environment.given_id + "-" + module.given_id >>',
    pipelines: {
      change: { pipeline_id: '<< defaults.change_pipeline_id >>' },
      destroy: { pipeline_id: '<< defaults.destroy_pipeline_id >>' },
      defaults: {
        variant: 'standard',
        input: {
          stack_id: '<< stack.id >>',
          tool: 'iac',
          repo: 'https://github.com/acme/modules',
          ref: 'network@1.0.0',
          branch: null,
          base_path: 'network',
          iac_variables: { size: '<< module.input.size >>', none: null, tags: { Owner: null } },
        },
      },
    },
  },
}
const reference = {
  id: 'network_id',
  label,
  type: '$ref:network',
  mapped_inputs: [{ id: 'vpc_id', label, type: 'string', required: true, default: '<< ref.stack.output.vpc_id >>' }],
}

beforeAll(async () => {
  world = await startHttpWorld()
  owner = await seedOrganization(world.db)
  client = new Client(world.url, owner.key)
  projectId = (await client.done<{ id: string }>('POST', '/projects', { data: { givenId: 'shop', name: 'Shop' } })).id
  const place = { data: { projectId, givenId: 'production', name: 'Production' } }
  environmentId = (await client.done<{ id: string }>('POST', '/environments', place)).id
  network = await publish('network', config)
  service = await publish('service', { ...config, inputs: [...config.inputs, reference] })
})
afterAll(() => world?.[Symbol.asyncDispose]())

async function publish(type: string, config: object): Promise<ModuleDefinition> {
  const data = { type, name: type, description: '' }
  const definition = await client.done<ModuleDefinition>('POST', '/module-definitions', { data })
  const version = { moduleDefinitionId: definition.id, version: '1.0.0', description: 'x', config }
  await client.done('POST', '/module-versions', { data: version })
  return definition
}

let names = 0
function create(definition: ModuleDefinition, more: Json = {}) {
  names += 1
  const named = { givenId: `one-${names}`, name: 'One', input: {}, environmentId, moduleDefinitionId: definition.id }
  return client.done<ModuleInstance>('POST', '/module-instances', { data: { ...named, ...more } })
}
const get = (id: string) => client.done<ModuleInstance>('GET', `/module-instances/${id}`)
const patch = (id: string, data: Json) => client.done<ModuleInstance>('PATCH', `/module-instances/${id}`, { data })
const applyAll = (ids: string[]) =>
  client.done<ModuleInstance[]>('POST', '/module-instances/apply', { data: { ids, autoapprove: true } })

async function runsOf(id: string): Promise<(typeof pipelineRuns.$inferSelect)[]> {
  const own = and(eq(pipelineRuns.organizationId, owner.organizationId), eq(pipelineRuns.moduleInstanceId, id))
  return world.db.select().from(pipelineRuns).where(own).orderBy(desc(pipelineRuns.id))
}
async function latestRun(id: string) {
  const [run] = await runsOf(id)
  if (!run) throw new Error(`${id} has no run`)
  return run
}

type End = Partial<Pick<typeof pipelineRuns.$inferSelect, 'status' | 'error'>> & { touched?: boolean; outputs?: Json }

/** Ends the latest run as its pipeline would. */
async function end(id: string, { touched = true, outputs, ...end }: End = {}): Promise<string[]> {
  const { id: runId } = await latestRun(id)
  const { stackId } = await get(id)
  return world.db.transaction(async (tx) => {
    if (touched) {
      const ofRun = and(
        eq(pipelineStepExecutions.pipelineRunId, runId),
        eq(pipelineStepExecutions.stepType, 'iac:apply'),
      )
      await tx.update(pipelineStepExecutions).set({ startedAt: new Date() }).where(ofRun)
    }
    if (outputs)
      await tx
        .update(stacks)
        .set({ outputs })
        .where(eq(stacks.id, stackId ?? ''))
    const over = { status: 'SUCCESS', wakeAt: null, ...end } as const
    const ended = { status: 'SUCCESS', wakeAt: null } as const
    await tx.update(pipelineStepExecutions).set(ended).where(eq(pipelineStepExecutions.pipelineRunId, runId))
    const [run] = await tx.update(pipelineRuns).set(over).where(eq(pipelineRuns.id, runId)).returning()
    if (!run) throw new Error('the run is gone')
    return instanceRunEnded(tx, run, new Date())
  })
}

test('a run receives the rendered stack block through a built-in pipeline', async () => {
  const instance = await create(network, { givenId: 'net' })
  expect(instance).toMatchObject({ status: 'PENDING', stackId: expect.stringMatching(/^stk_/) })
  expect(await patch(instance.id, { input: { size: 3 }, runStack: true })).toMatchObject({ status: 'UPDATING' })
  const run = await latestRun(instance.id)
  expect(run).toMatchObject({
    status: 'QUEUED',
    isAutoApproved: false,
    concurrencyGroup: `stack ${instance.stackId}`,
    inputs: {
      stack_id: instance.stackId,
      workspace: 'shop-production-net',
      tool: 'iac',
      repo: 'https://github.com/acme/modules',
      ref: 'network@1.0.0',
      base_path: 'network',
      iac_variables: { size: 3, tags: { Owner: null } },
    },
  })
  expect(Object.keys(run.inputs)).not.toContain('branch')
  expect(await client.done<Pipeline>('GET', `/pipelines/${run.pipelineId}`)).toMatchObject({
    givenId: 'infrastructure-change',
    latestRunId: run.id,
  })
  const steps = await client.done<Json[]>('GET', `/pipeline-step-executions?pipelineRunId=${run.id}`)
  expect(steps.map(({ stepType }) => stepType).sort()).toEqual(['approval', 'iac:apply', 'iac:plan'])
  expect(new Set(steps.map(({ moduleInstanceId }) => moduleInstanceId))).toEqual(new Set([instance.id]))
})

test('the result of a run appears in the instance', async () => {
  const { id } = await create(network, { runStack: true, autoapprove: true })
  expect(await latestRun(id)).toMatchObject({ isAutoApproved: true })
  await end(id)
  expect(await get(id)).toMatchObject({ status: 'ACTIVE' })
  const [row] = await world.db.select().from(moduleInstances).where(eq(moduleInstances.id, id))
  expect(row).toMatchObject({ appliedInput: { size: 1, workspace: null }, appliedAt: expect.any(Date) })

  const error = { code: 'Sluice:Iac:APPLY_FAILED', message: 'It broke.' }
  await patch(id, { runStack: true })
  await end(id, { status: 'ERROR', error })
  expect(await get(id)).toMatchObject({ status: 'ERROR', error })
  expect(await patch(id, { runStack: true })).not.toHaveProperty('error')
  await end(id, { status: 'CANCELLED', touched: false })
  expect(await get(id)).toMatchObject({ status: 'ACTIVE' })
})

test('an instance created before instances had stacks gets one for its first run', async () => {
  const { id } = await create(network)
  await world.db.update(moduleInstances).set({ stackId: null, status: 'ACTIVE' }).where(eq(moduleInstances.id, id))
  const { stackId } = await patch(id, { runStack: true })
  expect(stackId).toMatch(/^stk_/)
  expect(await latestRun(id)).toMatchObject({ inputs: { stack_id: stackId } })
})

test('a run cancelled through the API leaves its instance unchanged', async () => {
  const { id } = await create(network, { runStack: true })
  const { id: runId } = await latestRun(id)
  await client.done('POST', `/pipeline-runs/${runId}/cancel`)
  expect(await get(id)).toMatchObject({ status: 'PENDING' })
})

test('the newest of several runs determines the status of the instance', async () => {
  const { id } = await create(network, { runStack: true })
  const first = await latestRun(id)
  await patch(id, { runStack: true })
  await world.db.transaction(async (tx) => {
    const over = { status: 'SUCCESS', wakeAt: null } as const
    const [run] = await tx.update(pipelineRuns).set(over).where(eq(pipelineRuns.id, first.id)).returning()
    if (run) await instanceRunEnded(tx, run, new Date())
  })
  expect(await get(id)).toMatchObject({ status: 'UPDATING' })
  await end(id)
  expect(await get(id)).toMatchObject({ status: 'ACTIVE' })
})

test('an instance with infrastructure is destroyed by a run and remains readable', async () => {
  const { id, givenId } = await create(network, { runStack: true })
  const path = `/module-instances/${id}`
  expect(await client.ask('DELETE', path)).toMatchObject({
    status: 409,
    body: { code: apiErrors.moduleInstanceInUse.code },
  })
  await end(id)
  const deleted = await client.ask('DELETE', `${path}?autoapprove=true&include=infrastructure`)
  const destroying = {
    data: { id, status: 'DESTROYING' },
    included: { infrastructure: { latestRunId: (await latestRun(id)).id } },
  }
  expect(deleted, 'see deleteModuleInstance in module-instances/routes.ts').toMatchObject({
    status: 202,
    body: destroying,
  })
  expect(await get(id)).toMatchObject({ status: 'DESTROYING' })
  expect(await latestRun(id)).toMatchObject({
    isAutoApproved: true,
    inputs: { workspace: `shop-production-${givenId}` },
  })
  expect(await client.ask('DELETE', path)).toMatchObject({ status: 202, body: { data: destroying.data } })
  expect(await runsOf(id)).toHaveLength(2)
  expect(await client.ask('PATCH', path, { data: { runStack: true } })).toMatchObject({ status: 409 })
  await end(id)
  expect(await get(id)).toMatchObject({ status: 'DESTROYED' })
  expect(await client.ask('DELETE', path)).toMatchObject({ status: 204 })
})

test('a state keeps its workspace when the instance is renamed', async () => {
  const { id, stackId = '', givenId } = await create(network, { runStack: true })
  const place = { organizationId: owner.organizationId, stackId, latestStateSequence: 1 }
  await world.db.insert(stackWorkspaces).values({ id: `wsp_${id}`, name: `shop-production-${givenId}`, ...place })
  await end(id)
  await patch(id, { givenId: `${givenId}-new`, runStack: true })
  expect(await latestRun(id)).toMatchObject({ inputs: { workspace: `shop-production-${givenId}` } })
})

test('the pipeline in the defaults runs and receives its declared inputs', async () => {
  const data = { projectId, givenId: 'own', name: 'Own' }
  const { id: pipelineId } = await client.done<Pipeline>('POST', '/pipelines', { data })
  const own = { inputs: [{ id: 'repo', type: 'string' }], steps: [{ id: 'ask', type: 'approval' }] }
  await client.done<PipelineVersion>('POST', '/pipeline-versions', { data: { pipelineId, config: own } })
  const key = { key: 'change_pipeline_id', schema: { type: 'string' } }
  const definition = await client.done<{ id: string }>('POST', '/default-value-definitions', { data: key })
  const set = { defaultValueDefinitionId: definition.id, parentType: 'project', parentId: projectId, value: pipelineId }
  const value = await client.done<{ id: string }>('POST', '/default-values', { data: set })
  const { id } = await create(network, { runStack: true })
  expect(await latestRun(id)).toMatchObject({ pipelineId, inputs: { repo: 'https://github.com/acme/modules' } })

  await client.done('PATCH', `/default-values/${value.id}`, { data: { value: 'pl_nobody' } })
  expect(await client.ask('PATCH', `/module-instances/${id}`, { data: { runStack: true } })).toMatchObject({
    status: 422,
    body: {
      code: apiErrors.stackInvalid.code,
      details: [{ items: ['stack.pipelines: there is no pipeline pl_nobody in this organization'] }],
    },
  })
  expect(await client.ask('DELETE', `/default-values/${value.id}`)).toMatchObject({ status: 204 })
})

test('a sensitive default is not passed to a run, which would expose it', async () => {
  const key = { key: 'token', schema: { type: 'string' }, isSensitive: true }
  const definition = await client.done<{ id: string }>('POST', '/default-value-definitions', { data: key })
  const set = { defaultValueDefinitionId: definition.id, parentType: 'project', parentId: projectId, value: 'secret' }
  await client.done('POST', '/default-values', { data: set })
  const input = { stack_id: '<< stack.id >>', iac_variables: { token: '<< defaults.token >>' } }
  const leaky = { inputs: [], stack: { type: 'iac', pipelines: { defaults: { variant: 'standard', input } } } }
  const { id } = await create(await publish('leaky', leaky))
  const answer = await client.ask('PATCH', `/module-instances/${id}`, { data: { runStack: true } })
  expect(answer).toMatchObject({
    status: 422,
    body: { details: [{ items: [expect.stringContaining('defaults.token')] }] },
  })
  expect(JSON.stringify(answer)).not.toContain('secret')
})

test('several instances are applied in the order of their references, each after the previous one succeeded', async () => {
  const net = await create(network)
  const api = await create(service, { input: { network_id: net.id, vpc_id: 'for-now' } })
  const web = await create(service, { input: { network_id: net.id, vpc_id: 'for-now' } })
  for (const { id } of [api, web]) {
    const input = { network_id: net.id }
    await world.db.update(moduleInstances).set({ input }).where(eq(moduleInstances.id, id))
  }
  const applied = await applyAll([web.id, api.id, net.id])
  expect(applied[0]).toMatchObject({ id: net.id, status: 'UPDATING' })
  expect(applied.map(({ status }) => status)).toEqual(['UPDATING', 'UPDATING', 'UPDATING'])
  expect([await runsOf(api.id), await runsOf(web.id)]).toEqual([[], []])

  const started = await end(net.id, { outputs: { vpc_id: 'vpc-1' } })
  expect(started.sort()).toEqual([(await latestRun(api.id)).id, (await latestRun(web.id)).id].sort())
  expect(await latestRun(api.id)).toMatchObject({ isAutoApproved: true })
  await end(api.id)
  expect(await get(api.id)).toMatchObject({ status: 'ACTIVE' })
})

test('dependents of an instance that was not applied are not applied either', async () => {
  const net = await create(network)
  const api = await create(service, { input: { network_id: net.id, vpc_id: 'mine' } })
  await applyAll([api.id, net.id])
  expect(await end(net.id, { status: 'ERROR', error: { code: 'Sluice:Iac:FAILED', message: 'No.' } })).toEqual([])
  expect(await get(api.id)).toMatchObject({ status: 'ERROR', error: { code: failures.applyBeforeFailed.code } })
  expect(await runsOf(api.id)).toEqual([])
})

test('a queued instance whose input has become invalid reports this', async () => {
  const net = await create(network)
  const api = await create(service, { input: { network_id: net.id, vpc_id: 'mine' } })
  await world.db
    .update(moduleInstances)
    .set({ input: { network_id: net.id } })
    .where(eq(moduleInstances.id, api.id))
  await applyAll([api.id, net.id])
  await end(net.id, { outputs: {} })
  expect(await get(api.id)).toMatchObject({
    status: 'ERROR',
    error: {
      code: failures.stackNotRun.code,
      details: [{ items: [expect.stringContaining('input.vpc_id is required')] }],
    },
  })
})

test('an instance without infrastructure cannot be applied', async () => {
  const plain = await create(await publish('plain', { inputs: [] }))
  const apiError = { status: 422, body: { code: apiErrors.stackNotAvailable.code } }
  expect(await client.ask('POST', '/module-instances/apply', { data: { ids: [plain.id] } })).toMatchObject(apiError)
  expect(await client.ask('POST', '/module-instances/apply', { data: { ids: ['mi_x'] } })).toMatchObject({
    status: 422,
  })
})

test('the run names its requester', async () => {
  const { id } = await create(network, { runStack: true })
  const run = await client.done<PipelineRun>('GET', `/pipeline-runs/${(await latestRun(id)).id}`)
  expect(run).toMatchObject({ triggerSource: 'API', triggeredBy: `${owner.userId}@example.com` })
})

/** A module whose instances select their execution environment. */
const placing = {
  ...config,
  inputs: [...config.inputs, { id: 'execution_environment_id', label, type: 'string' }],
}

test('the execution environment in the input provides account and region and runs the steps once it is ready', async () => {
  const placed = await publish('placed', placing)
  const account = { data: { givenId: 'main', name: 'Main' } }
  const { id: cloudAccountId } = await client.done<{ id: string }>('POST', '/cloud-accounts', account)
  const place = { givenId: 'there', name: 'There', cloudAccountId, region: 'eu-central-1' }
  const { id } = await client.done<{ id: string }>('POST', '/execution-environments', { data: place })
  const instance = await create(placed, { input: { execution_environment_id: id } })
  const placesOf = async () => {
    const run = await latestRun(instance.id)
    expect(run.inputs).toMatchObject({ cloud_account_id: cloudAccountId, cloud_region: 'eu-central-1' })
    const steps = await world.db
      .select()
      .from(pipelineStepExecutions)
      .where(eq(pipelineStepExecutions.pipelineRunId, run.id))
    return new Set(steps.filter(({ stepType }) => stepType !== 'approval').map((step) => step.executionEnvironmentId))
  }
  await patch(instance.id, { runStack: true })
  expect(await placesOf(), 'while it is not ready').toEqual(new Set([null]))
  await end(instance.id)
  await world.db.update(executionEnvironments).set({ readyAt: new Date() }).where(eq(executionEnvironments.id, id))
  await patch(instance.id, { runStack: true })
  expect(await placesOf()).toEqual(new Set([id]))
})

test('an input with an unknown or foreign execution environment is rejected', async () => {
  const other = new Client(world.url, (await seedOrganization(world.db)).key)
  const pool = { data: { givenId: 'pool', name: 'Pool', kind: 'runners' } }
  const theirs = await other.done<{ id: string }>('POST', '/execution-environments', pool)
  const placed = await publish('placed-too', placing)
  const mine = await create(placed)
  for (const id of [theirs.id, 'ee_01h455vb4pex5vsknk084sn02q']) {
    const input = { execution_environment_id: id }
    const named = { givenId: 'refused', name: 'One', environmentId, moduleDefinitionId: placed.id }
    for (const answer of [
      await client.ask('POST', '/module-instances', { data: { ...named, input } }),
      await client.ask('PATCH', `/module-instances/${mine.id}`, { data: { input } }),
    ]) {
      const metadata = { field: 'input.execution_environment_id', id }
      expect(answer).toMatchObject({ status: 422, body: { code: apiErrors.referenceNotFound.code, metadata } })
    }
  }
})

describe('a retry of an instance’s run', () => {
  const retry = (runId: string) => client.ask('POST', `/pipeline-runs/${runId}/retry`)
  const error = { code: 'Sluice:Iac:APPLY_FAILED', message: 'It broke.' }

  /** Ends a run as its pipeline would after a failed apply: planned and approved. */
  const failToApply = (runId: string) =>
    world.db.transaction(async (tx) => {
      const ofRun = eq(pipelineStepExecutions.pipelineRunId, runId)
      const isApply = eq(pipelineStepExecutions.stepId, 'apply')
      const broken = { status: 'ERROR', error, startedAt: new Date() } as const
      await tx.update(pipelineStepExecutions).set(broken).where(and(ofRun, isApply))
      await tx
        .update(pipelineStepExecutions)
        .set({ status: 'SUCCESS' })
        .where(and(ofRun, ne(pipelineStepExecutions.stepId, 'apply')))
      const over = { status: 'ERROR', error, wakeAt: null } as const
      const [run] = await tx.update(pipelineRuns).set(over).where(eq(pipelineRuns.id, runId)).returning()
      if (run) await instanceRunEnded(tx, run, new Date())
    })

  test('plans again with the same inputs, requires approval again, and updates the instance', async () => {
    const { id } = await create(network, { runStack: true, autoapprove: true })
    const failed = await latestRun(id)
    await failToApply(failed.id)
    expect(await get(id)).toMatchObject({ status: 'ERROR' })
    await patch(id, { input: { size: 5 } })
    expect(await retry(failed.id)).toMatchObject({ status: 201 })
    expect(await get(id)).toMatchObject({ status: 'UPDATING' })
    expect(await get(id)).not.toHaveProperty('error')
    const again = await latestRun(id)
    expect(again).toMatchObject({
      retryOf: failed.id,
      inputs: failed.inputs,
      isAutoApproved: false,
      concurrencyGroup: failed.concurrencyGroup,
    })
    const steps = await client.done<Json[]>('GET', `/pipeline-step-executions?pipelineRunId=${again.id}`)
    expect(steps.map(({ status }) => status)).toEqual(['QUEUED', 'QUEUED', 'QUEUED'])
    await end(id)
    expect(await get(id)).toMatchObject({ status: 'ACTIVE', input: { size: 5 } })
    const [row] = await world.db.select().from(moduleInstances).where(eq(moduleInstances.id, id))
    expect(row).toMatchObject({ appliedInput: { size: 1 }, latestRunId: again.id })
  })

  test('is rejected after a newer run or when the instance no longer exists', async () => {
    const { id } = await create(network, { runStack: true })
    const first = await latestRun(id)
    await end(id, { status: 'ERROR', error })
    await patch(id, { runStack: true })
    const second = await latestRun(id)
    expect(await retry(first.id)).toMatchObject({
      ...apiErrorOf('pipelineRunOutdated'),
      body: { metadata: { pipelineRunId: second.id } },
    })
    await end(id)
    expect(await client.ask('DELETE', `/module-instances/${id}`)).toMatchObject({ status: 202 })
    await end(id)
    expect(await retry(first.id)).toMatchObject(apiErrorOf('moduleInstanceDestroyed'))
  })
})
