import type { PipelineVersion, PipelineVersionDryRun, Policy, UserFacingError } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { apiErrorOf } from '../../testing/api-errors.ts'
import { Client } from '../../testing/client.ts'
import { type SeededOrganization, seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { createOneOfEverything } from '../../testing/resources.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
let owner: SeededOrganization
let client: Client
let projectId: string

beforeAll(async () => {
  world = await startHttpWorld()
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
const add = (pipelineId: string, config: object) =>
  client.done<PipelineVersion>('POST', '/pipeline-versions', { data: { pipelineId, config } })
const ask = (data: object) => client.ask('POST', '/pipeline-versions', { data })

const plan = { id: 'plan', type: 'iac:plan', with: { stack: 'web', source: { files: { 'main.tf': '' } } } }
const deployOf = (image_ref: string) => ({
  id: 'deploy',
  type: 'deploy',
  with: { module_instance: 'web', environment: 'production', inputs: { image_ref } },
})
const deploy = deployOf('web:1')
const named = (name: string) => ({ steps: [{ id: 'ask', name, type: 'approval' }] })

test('versions are numbered from one and return their config unchanged', async () => {
  const pipelineId = await createPipeline()
  const odd = { a: null, b: [], c: {}, d: -1.5e-7, e: 'ü €' }
  const config = { steps: [plan], inputs: [{ id: 'odd', type: 'json', default: odd }] }
  const first = await add(pipelineId, config)
  expect(first).toEqual({
    id: expect.stringMatching(/^plv_/),
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    organizationId: owner.organizationId,
    pipelineId,
    version: 1,
    config,
    createdById: owner.membershipId,
  })
  const second = await add(pipelineId, named('Ask'))
  expect(second.version).toBe(2)
  expect(await client.done('GET', `/pipeline-versions/${first.id}`)).toEqual(first)
  expect(await client.done('GET', `/pipeline-versions?pipelineId=${pipelineId}`)).toEqual([second, first])
  expect(await client.ask('GET', '/pipeline-versions/plv_x')).toMatchObject(apiErrorOf('pipelineVersionNotFound'))
})

test('concurrent versions have different numbers without gaps', async () => {
  const pipelineId = await createPipeline()
  const made = await Promise.all(Array.from({ length: 12 }, (_, index) => add(pipelineId, named(`Ask ${index}`))))
  expect(made.map(({ version }) => version).toSorted((a, b) => a - b)).toEqual(made.map((_, index) => index + 1))
})

test('a dry run returns the differences to the latest version, and stores nothing', async () => {
  const pipelineId = await createPipeline()
  await add(pipelineId, named('Ask'))
  const base = await add(pipelineId, { steps: [plan, deploy] })
  const config = { steps: [plan, deployOf('web:2')] }
  const answer = await ask({ pipelineId, config, dryRun: true })
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({
    data: {
      pipelineId,
      baseVersion: 2,
      baseVersionId: base.id,
      patch: [
        {
          op: 'replace',
          path: '/steps/1/with/inputs/image_ref',
          pathLabel: 'steps › deploy › with › inputs › image_ref',
          fromValue: 'web:1',
          value: 'web:2',
        },
      ],
    },
  })
  expect(await client.done('GET', `/pipeline-versions?pipelineId=${pipelineId}&limit=1`)).toEqual([base])
})

test('without a version, a dry run compares with an empty config', async () => {
  const pipelineId = await createPipeline()
  const config = named('Ask')
  const { body } = await ask({ pipelineId, config, dryRun: true })
  const patch: PipelineVersionDryRun['patch'] = [{ op: 'add', path: '/steps', pathLabel: 'steps', value: config.steps }]
  expect(body).toEqual({ data: { pipelineId, patch } })
})

test.each([true, false])('a config is rejected with every error (dry run: %s)', async (dryRun) => {
  const pipelineId = await createPipeline()
  const wrong = {
    steps: [{ id: 'a' }, { id: '', type: 'approval', needs: 'a' }, { ...plan, needs: ['plan', 'nobody'] }],
  }
  expect(await ask({ pipelineId, config: wrong, dryRun })).toMatchObject({
    ...apiErrorOf('pipelineConfigInvalid'),
    body: {
      details: [
        {
          items: [
            '$.data.config.steps[0].type: required, but missing',
            '$.data.config.steps[1].id: expected text that matches ^[a-z][a-z0-9_-]{0,62}$',
            '$.data.config.steps[1].needs: expected array, got string',
            '$.data.config.steps[2].needs[1]: unknown step nobody; available: a',
            '$.data.config.steps[2].needs[0]: expected another step, plan cannot need itself',
          ],
        },
      ],
    },
  })
  expect(await client.done('GET', `/pipeline-versions?pipelineId=${pipelineId}`)).toEqual([])
})

test.each([true, false])('ids in a config must exist in the organization (dry run: %s)', async (dryRun) => {
  const pipelineId = await createPipeline()
  const ours = (await createOneOfEverything(world.db, owner)).byPath
  const theirs = (await createOneOfEverything(world.db)).byPath
  const configWith = (ids: typeof ours) => ({
    triggers: [
      { type: 'push', code_source_id: ids['code-sources'] },
      { type: 'pipeline', pipeline_id: ids.pipelines },
    ],
    steps: [
      {
        ...plan,
        with: {
          stack_id: ids.stacks,
          source: { code_source_id: ids['code-sources'] },
          cloud_account_id: ids['cloud-accounts'],
        },
      },
      { id: 'deploy', type: 'deploy', with: { module_instance_id: ids['module-instances'] } },
      { id: 'next', type: 'pipeline', with: { pipeline_id: '<< defaults.next >>' } },
    ],
  })
  expect(await ask({ pipelineId, config: configWith(ours), dryRun })).toMatchObject({ status: dryRun ? 200 : 201 })
  const refused = await ask({ pipelineId, config: configWith(theirs), dryRun })
  expect(refused).toMatchObject(apiErrorOf('pipelineConfigInvalid'))
  const { details } = refused.body as UserFacingError
  expect(details?.flatMap(({ items = [] }) => items).toSorted()).toEqual(
    [
      `triggers[0].code_source_id: expected a code source of this organization, there is no ${theirs['code-sources']}`,
      `triggers[1].pipeline_id: expected a pipeline of this organization, there is no ${theirs.pipelines}`,
      `steps[0].with.stack_id: expected a stack of this organization, there is no ${theirs.stacks}`,
      `steps[0].with.source.code_source_id: expected a code source of this organization, there is no ${theirs['code-sources']}`,
      `steps[0].with.cloud_account_id: expected a cloud account of this organization, there is no ${theirs['cloud-accounts']}`,
      `steps[1].with.module_instance_id: expected a module instance of this organization, there is no ${theirs['module-instances']}`,
    ]
      .map((fault) => `$.data.config.${fault}`)
      .toSorted(),
  )
})

test('a pipeline cannot wait for itself', async () => {
  const pipelineId = await createPipeline()
  const config = { ...named('Ask'), triggers: [{ type: 'pipeline', pipeline_id: pipelineId }] }
  expect(await ask({ pipelineId, config })).toMatchObject({
    body: {
      details: [{ items: [expect.stringContaining('$.data.config.triggers[0].pipeline_id: expected another')] }],
    },
  })
})

test.each([true, false])('an unknown pipeline has no version (dry run: %s)', async (dryRun) => {
  const answer = await ask({ pipelineId: 'pl_nobody', config: {}, dryRun })
  expect(answer).toMatchObject({ ...apiErrorOf('referenceNotFound'), body: { metadata: { field: 'pipelineId' } } })
})

test('a version that a policy denies is rejected, also in a dry run; a warning is recorded', async () => {
  const { organizationId, key } = await seedOrganization(world.db)
  const own = new Client(world.url, key)
  const { byPath } = await createOneOfEverything(world.db, { organizationId })
  const data = { projectId: byPath.projects, givenId: 'judged', name: 'Judged' }
  const { id: pipelineId } = await own.done<{ id: string }>('POST', '/pipelines', { data })
  const policy = await own.done<Policy>('POST', '/policies', {
    data: {
      name: 'Ask first',
      guards: 'PIPELINE_VERSIONS',
      projectId: byPath.projects,
      message: 'Ask first.',
      expression: "pipeline.steps.all(s, s.type != 'deploy' || s.asksApproval) && starter.kind == 'USER'",
    },
  })
  const asking = { steps: [{ ...deploy, approval: {} }] }
  for (const dryRun of [true, false]) {
    const answer = await own.ask('POST', '/pipeline-versions', {
      data: { pipelineId, config: { steps: [deploy] }, dryRun },
    })
    expect(answer).toMatchObject({
      ...apiErrorOf('stoppedByPolicy'),
      body: { metadata: { policyId: policy.id, verdict: 'VIOLATED' } },
    })
  }
  await own.done('POST', '/pipeline-versions', { data: { pipelineId, config: asking } })
  await own.done('PATCH', `/policies/${policy.id}`, { data: { effect: 'WARN' } })
  const { id } = await own.done<PipelineVersion>('POST', '/pipeline-versions', {
    data: { pipelineId, config: { steps: [deploy] } },
  })
  const [event] = await own.done<object[]>('GET', `/audit-events?resourceId=${policy.id}`)
  expect(event).toMatchObject({ action: 'policies.warn', details: { pipelineId, pipelineVersionId: id } })
})

test('a policy can be overridden for a pipeline or entirely, and the version has the user and the reason', async () => {
  const { organizationId, key } = await seedOrganization(world.db)
  const own = new Client(world.url, key)
  const { byPath } = await createOneOfEverything(world.db, { organizationId })
  const pipelineOf = (givenId: string) =>
    own.done<{ id: string }>('POST', '/pipelines', { data: { projectId: byPath.projects, givenId, name: givenId } })
  const [{ id: pipelineId }, other] = [await pipelineOf('stopped'), await pipelineOf('other')]
  const make = (data: object) => own.done<Policy>('POST', '/policies', { data })
  const no = { name: 'None', guards: 'PIPELINE_VERSIONS', message: 'Not now.', expression: 'false' }
  const policy = await make(no)
  const letPast = (id: string, data: object) => own.ask('POST', `/policies/${id}/overrides`, { data })
  const write = (id: string) => {
    const config = { steps: [{ id: 'ask', type: 'approval' }] }
    return own.ask('POST', '/pipeline-versions', { data: { pipelineId: id, config } })
  }
  const because = { reason: 'The shop is down.' }
  const invalid = { status: 400, body: { code: 'Sluice:Request:INVALID' } }
  expect(await letPast(policy.id, { ...because, moduleInstanceId: byPath['module-instances'] })).toMatchObject(invalid)
  const { id: onReleases } = await make({ ...no, guards: 'DEPLOYMENTS' })
  expect(await letPast(onReleases, { ...because, pipelineId })).toMatchObject(invalid)
  const elsewhere = await seedOrganization(world.db)
  const { byPath: theirs } = await createOneOfEverything(world.db, elsewhere)
  const ofOthers = await letPast(policy.id, { ...because, pipelineId: theirs.pipelines })
  expect(ofOthers).toMatchObject({ status: 422, body: { code: 'Sluice:Request:REFERENCE_NOT_FOUND' } })
  expect(await write(pipelineId)).toMatchObject(apiErrorOf('stoppedByPolicy'))

  expect(await letPast(policy.id, { ...because, pipelineId })).toMatchObject({
    status: 201,
    body: { data: { pipelineId } },
  })
  const made = await write(pipelineId)
  expect(made.status).toBe(201)
  expect(await write(other.id)).toMatchObject(apiErrorOf('stoppedByPolicy'))
  const { id } = (made.body as { data: PipelineVersion }).data
  const policies = [{ policyId: policy.id, version: 1, verdict: 'VIOLATED', override: because }]
  const shown = await own.ask('GET', `/pipeline-versions/${id}?include=policies`)
  expect(shown.body).toMatchObject({ data: { id }, included: { policies } })
  const listed = await own.ask('GET', `/pipeline-versions?pipelineId=${pipelineId}&include=policies`)
  expect(listed.body).toMatchObject({ included: { policies: { [id]: policies } } })
  const [event] = await own.done<object[]>('GET', `/audit-events?resourceId=${policy.id}&action=policies.override`)
  expect(event).toMatchObject({ projectId: byPath.projects, details: { ...because, pipelineId } })
  expect(await own.done('GET', `/policies/${policy.id}/overrides`)).toMatchObject([{ ...because, pipelineId }])

  expect((await letPast(policy.id, because)).status).toBe(201)
  expect((await write(other.id)).status).toBe(201)
})
