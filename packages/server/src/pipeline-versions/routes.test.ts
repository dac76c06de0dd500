import { type PipelineVersion, type PipelineVersionDryRun, refusals } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Client } from '../testing/client.ts'
import { type SeededOrganization, seedOrganization, startHttpWorld } from '../testing/http-world.ts'

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
const refusalOf = (key: keyof typeof refusals) => ({ status: refusals[key].status, body: { code: refusals[key].code } })

const plan = { id: 'plan', type: 'iac:plan' }
const deploy = { id: 'deploy', type: 'deploy', with: { inputs: { image_ref: 'web:1' } } }

test('versions count up from one and keep their config as it was sent', async () => {
  const pipelineId = await createPipeline()
  const config = { steps: [plan], inputs: [{ a: null, b: [], c: {}, d: -1.5e-7, e: 'ü €' }] }
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
  const second = await add(pipelineId, {})
  expect(second.version).toBe(2)
  expect(await client.done('GET', `/pipeline-versions/${first.id}`)).toEqual(first)
  expect(await client.done('GET', `/pipeline-versions?pipelineId=${pipelineId}`)).toEqual([second, first])
  expect(await client.ask('GET', '/pipeline-versions/plv_x')).toMatchObject(refusalOf('pipelineVersionNotFound'))
})

test('versions that are created at once have one number each, without gaps', async () => {
  const pipelineId = await createPipeline()
  const made = await Promise.all(Array.from({ length: 12 }, (_, index) => add(pipelineId, { index })))
  expect(made.map(({ version }) => version).toSorted((a, b) => a - b)).toEqual(made.map((_, index) => index + 1))
})

test('a dry run tells what would change since the latest version, and stores nothing', async () => {
  const pipelineId = await createPipeline()
  await add(pipelineId, { steps: [] })
  const base = await add(pipelineId, { steps: [plan, deploy] })
  const config = { steps: [plan, { ...deploy, with: { inputs: { image_ref: 'web:2' } } }] }
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

test('without a version, a dry run compares with nothing', async () => {
  const pipelineId = await createPipeline()
  const { body } = await ask({ pipelineId, config: { steps: [] }, dryRun: true })
  const patch: PipelineVersionDryRun['patch'] = [{ op: 'add', path: '/steps', pathLabel: 'steps', value: [] }]
  expect(body).toEqual({ data: { pipelineId, patch } })
})

test.each([true, false])('a config is refused with every fault (dry run: %s)', async (dryRun) => {
  const pipelineId = await createPipeline()
  const wrong = { steps: [{ id: 'a' }, { id: '', type: 'x', needs: 'a' }] }
  expect(await ask({ pipelineId, config: wrong, dryRun })).toMatchObject({
    ...refusalOf('pipelineConfigInvalid'),
    body: {
      details: [
        {
          items: [
            '$.data.config.steps[0].type: expected a value, it is missing',
            '$.data.config.steps[1].id: expected at least 1 characters',
            '$.data.config.steps[1].needs: expected array, got string',
          ],
        },
      ],
    },
  })
  const mixed = { steps: [plan, { ...plan, needs: ['plan', 'nobody'] }] }
  expect(await ask({ pipelineId, config: mixed, dryRun })).toMatchObject({
    body: {
      details: [
        {
          items: [
            '$.data.config.steps[1].id: expected another id, plan is there already',
            '$.data.config.steps[1].needs[1]: expected the id of a step, there is no nobody',
          ],
        },
      ],
    },
  })
  expect(await client.done('GET', `/pipeline-versions?pipelineId=${pipelineId}`)).toEqual([])
})

test.each([true, false])('a pipeline that is not there has no version (dry run: %s)', async (dryRun) => {
  const answer = await ask({ pipelineId: 'pl_nobody', config: {}, dryRun })
  expect(answer).toMatchObject({ ...refusalOf('referenceNotFound'), body: { metadata: { field: 'pipelineId' } } })
})
