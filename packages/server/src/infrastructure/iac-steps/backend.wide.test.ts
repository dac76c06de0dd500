import { access } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { failures } from '@sluice/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { iacPlans } from '../../pipelines/iac-plans/tables.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { newId } from '../../platform/ids.ts'
import { type IacWorld, missingToolReason, startIacWorld } from './iac-world.fixture.ts'

const why = await missingToolReason()

const main = { 'main.tf': 'resource "terraform_data" "web" { input = "correct-horse" }' }
const elsewhere = () => join(tmpdir(), `${newId('req')}.tfstate`)
const local = (path: string) => JSON.stringify({ terraform: { backend: { local: { path } } } })

describe.skipIf(why !== undefined)(`the state is kept here${why === undefined ? '' : ` [${why}]`}`, () => {
  let world: IacWorld
  beforeAll(async () => {
    world = await startIacWorld()
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  async function planAndApply(files: Record<string, string>, more: Record<string, unknown> = {}) {
    const [stack_id, runId] = [await world.stack(), await world.run()]
    const planned = await world.do(runId, 'iac:plan', { stack_id, source: { files: { ...main, ...files } }, ...more })
    if (planned.outcome.status !== 'SUCCESS') return planned.outcome
    return (await world.do(runId, 'iac:apply', {})).outcome
  }

  test.each(['zz_override.tf.json', 'override.tf.json', 'sluice_override.tf.json'])(
    'although %s has a backend of its own',
    async (name) => {
      const path = elsewhere()
      expect(await planAndApply({ [name]: local(path) })).toMatchObject({ status: 'SUCCESS' })
      await expect(access(path)).rejects.toMatchObject({ code: 'ENOENT' })
    },
  )

  test('a cloud block is rejected before the plan, with its place and the remedy', async () => {
    const cloud = 'terraform {\n  cloud {\n    organization = "acme"\n  }\n}'
    const outcome = await planAndApply({ 'cloud.tf': cloud })
    const { code } = failures.iacInitFailed
    const error = { code, message: expect.stringContaining('cloud.tf line 2'), description: expect.any(String) }
    expect(outcome).toMatchObject({ status: 'ERROR', error })
  })

  test('a cloud block is replaced where the state is kept already, as it was before', async () => {
    const stack_id = await world.stack()
    const source = (files: object) => ({ stack_id, source: { files: { ...main, ...files } } })
    const runId = await world.run()
    await world.do(runId, 'iac:plan', source({}))
    expect((await world.do(runId, 'iac:apply', {})).outcome).toMatchObject({ status: 'SUCCESS' })
    const cloud = { 'cloud.tf': 'terraform {\n  cloud {\n    organization = "acme"\n  }\n}' }
    expect((await world.do(await world.run(), 'iac:plan', source(cloud))).outcome).toMatchObject({ status: 'SUCCESS' })
    expect((await world.do(await world.run(), 'iac:destroy', source(cloud))).outcome).toMatchObject({
      status: 'SUCCESS',
    })
  })

  test('the first plan warns that the state in the backend of the configuration is not read', async () => {
    const [stack_id, runId] = [await world.stack(), await world.run()]
    const backend = { 'backend.tf': 'terraform {\n  backend "s3" {\n    bucket = "states"\n  }\n}' }
    const given = { stack_id, source: { files: { ...main, ...backend } } }
    const warningsOf = async (id: string) => {
      const [plan] = await world.db.select().from(iacPlans).where(eq(iacPlans.stepExecutionId, id))
      return plan?.review?.warnings
    }
    const first = await world.do(runId, 'iac:plan', given)
    const warning = { summary: 'The state in the backend "s3" is not read', file: 'backend.tf', line: 2 }
    expect(await warningsOf(first.id)).toMatchObject([warning])
    expect((await world.do(runId, 'iac:apply', {})).outcome).toMatchObject({ status: 'SUCCESS' })
    const second = await world.do(await world.run(), 'iac:plan', given)
    expect(second.outcome.status).toBe('SUCCESS')
    expect(await warningsOf(second.id)).toEqual([])
    const own = await world.do(await world.run(), 'iac:plan', {
      stack_id: await world.stack(),
      source: { files: main },
    })
    expect(await warningsOf(own.id), 'of a configuration without a backend').toEqual([])
  })

  test('and what an override sets beside that counts', async () => {
    const override = { 'zz_override.tf': 'resource "terraform_data" "web" { input = "overridden" }' }
    expect(await planAndApply(override)).toMatchObject({ status: 'SUCCESS' })
  })

  test.each<[string, (path: string) => [Record<string, string>, Record<string, unknown>?], string]>([
    ['a file with a later name', (path) => [{ '~~_override.tf.json': local(path) }], '~~_override.tf.json'],
    [
      'a file with a later name and another address',
      () => [{ '~~_override.tf': `terraform {\n backend "http" {\n address = "${world.url}/nowhere"\n }\n}` }],
      '~~_override.tf',
    ],
    [
      'an argument in the environment',
      () => [{}, { environment_variables: { TF_CLI_ARGS_init: `-backend-config=address=${world.url}/nowhere` } }],
      'an argument in the environment',
    ],
  ])('or not at all: %s is refused by name', async (_, given, named) => {
    const path = elsewhere()
    const outcome = await planAndApply(...given(path))
    const { code } = failures.iacInitFailed
    expect(outcome).toMatchObject({ status: 'ERROR', error: { code, message: expect.stringContaining(named) } })
    await expect(access(path)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  test.each([
    ['names no backend', {}],
    ['names a file in its own folder', { 'backend.tf.json': local('own.tfstate') }],
  ])('or in a backend of its own, and one that %s is refused before anything is planned', async (_, files) => {
    expect(await planAndApply(files, { workspace: null })).toMatchObject({
      status: 'ERROR',
      error: {
        code: failures.iacInitFailed.code,
        message: expect.stringContaining('would be lost'),
        description: expect.stringContaining('service_state_backend_workspace'),
      },
    })
  })
})
