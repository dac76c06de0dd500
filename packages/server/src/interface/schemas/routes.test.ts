import { readFile } from 'node:fs/promises'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { completeDeploy } from '../../modules/module-versions/config/complete-deploy.fixture.ts'
import { startHttpWorld } from '../../testing/http-world.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>

beforeAll(async () => {
  world = await startHttpWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

async function validatorOf(name: string): Promise<ValidateFunction> {
  const { body } = await world.ask(`/schemas/${name}`)
  return new Ajv2020({ strictSchema: true, strictTypes: false, allErrors: true }).compile(body)
}

test('a schema is public and can be cached', async () => {
  const { status, headers, body } = await world.ask('/schemas/module.json')
  expect(status).toBe(200)
  expect(headers.get('content-type')).toContain('application/schema+json')
  expect(headers.get('cache-control')).toBe('public, max-age=3600')
  expect(body).toMatchObject({ $schema: 'https://json-schema.org/draft/2020-12/schema', title: 'Module' })
  expect((await world.ask('/schemas/nothing.json')).status).toBe(404)
  expect((await world.ask('/schemas/module.json', { method: 'POST' })).status).toBe(405)
})

test('the schema of modules accepts valid and rejects invalid configs', async () => {
  const isModule = await validatorOf('module.json')
  const demo = parse(await readFile(new URL('../../../demo/modules/container-service.yaml', import.meta.url), 'utf8'))
  expect(isModule(demo), JSON.stringify(isModule.errors)).toBe(true)
  const item = { id: 'rules', type: 'object_array', item_inputs: [{ id: 'net', type: '$ref:network', label: null }] }
  const right = [
    { inputs: [item], stack: null, ui: { links: '<< module.input.rules >>' } },
    { inputs: [], stack: { type: 'iac', pipelines: { defaults: { input: { '...more': '<< defaults.input >>' } } } } },
    {
      inputs: [],
      deploy: completeDeploy('cloud:static', {
        definition: { '...<< 1 >>': '<< {} >>', cdn_invalidation_paths: ['/*', '...<< [] >>'] },
      }),
    },
  ]
  for (const config of right) expect(isModule(config), JSON.stringify(isModule.errors)).toBe(true)
  const wrong = [
    {},
    { inputs: [{ id: 'a', type: 'strnig' }] },
    { inputs: [{ id: 'a', type: 'string', $include: 'x' }] },
    { inputs: [item, { ...item, item_inputs: [{ id: 'a' }] }] },
    { inputs: [], stack: { type: 'iac', pipelines: 'x' } },
    { inputs: [], deploy: completeDeploy('cloud:static', { task_definition: {} }) },
    { inputs: [], deploy: completeDeploy('cloud:static', { timeout: 0 }) },
    { inputs: [], deploy: completeDeploy('cloud:static', { definition: {} }) },
  ]
  for (const config of wrong) expect(isModule(config), JSON.stringify(config)).toBe(false)
})

test('the schema of projects distinguishes documents by kind, and includes their configs', async () => {
  const isDocument = await validatorOf('project.json')
  const right = [
    { kind: 'Project', name: 'shop', title: 'Shop' },
    { kind: 'Pipeline', name: 'release', config: { steps: [{ id: 'ask', type: 'approval' }] } },
    { kind: 'ModuleVersion', name: 'web', version: '1.0.0', config: { inputs: [] } },
    { kind: 'DefaultValue', name: 'region', environment: 'staging', value: null },
    { kind: 'NotificationChannel', name: 'Operations', url: `$\{env:ADDRESS}`, events: ['deployment.failed'] },
  ]
  for (const one of right) expect(isDocument(one), JSON.stringify(isDocument.errors)).toBe(true)
  const wrong = [
    { name: 'shop' },
    { kind: 'Project' },
    { kind: 'Project', name: 'shop', steps: [] },
    { kind: 'Pipeline', name: 'release', config: { steps: [{ id: 'ask', type: 'aproval' }] } },
    { kind: 'ModuleVersion', name: 'web', version: '1.0', config: { inputs: [] } },
    { kind: 'ModuleInstance', name: 'web', environment: 'staging', module: 'web' },
  ]
  for (const one of wrong) expect(isDocument(one), JSON.stringify(one)).toBe(false)
})

test('the schema of pipelines accepts valid and rejects invalid configs', async () => {
  const isPipeline = await validatorOf('pipeline.json')
  const ask = { id: 'ask', type: 'approval' }
  const command = { id: 'run', type: 'command', with: { argv: ['make', '<< inputs.target >>'] }, needs: [] }
  const right = [
    { steps: [ask] },
    {
      inputs: [{ id: 'target', type: 'string' }],
      triggers: [{ type: 'schedule', cron: '0 6 * * *' }],
      steps: [command],
    },
  ]
  for (const config of right) expect(isPipeline(config), JSON.stringify(isPipeline.errors)).toBe(true)
  const wrong = [
    {},
    { steps: [] },
    { steps: [{ ...ask, neds: [] }] },
    { steps: [{ id: 'a', type: 'comand' }] },
    { steps: [{ ...command, with: { url: 'https://example.com' } }] },
    { steps: [ask], triggers: [{ type: 'schedule' }] },
  ]
  for (const config of wrong) expect(isPipeline(config), JSON.stringify(config)).toBe(false)
})
