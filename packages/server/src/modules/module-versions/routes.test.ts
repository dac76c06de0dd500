import { apiErrors, type ModuleDefinition, type ModuleVersion } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { auditEvents } from '../../identity/audit-events/tables.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { apiErrorOf } from '../../testing/api-errors.ts'
import { Client } from '../../testing/client.ts'
import { type SeededOrganization, seedInstances, seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { moduleDefinitions } from '../module-definitions/tables.ts'
import { completeDeploy } from './config/complete-deploy.fixture.ts'

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

let definitions = 0
function define(): Promise<ModuleDefinition> {
  definitions += 1
  const data = { type: `module-${definitions}`, name: 'Web', description: '' }
  return client.done('POST', '/module-definitions', { data })
}
const definition = (id: string) => client.done<ModuleDefinition>('GET', `/module-definitions/${id}`)
const wish = (moduleDefinitionId: string, version: string, more: object = {}) => ({
  data: { moduleDefinitionId, version, description: 'Change.', config: { inputs: [] }, ...more },
})
const publish = (id: string, version: string, more?: object) =>
  client.done<ModuleVersion>('POST', '/module-versions', wish(id, version, more))

test('the first version makes the definition active', async () => {
  const { id } = await define()
  const version = await publish(id, '1.4.0')
  expect(version).toEqual({
    id: expect.stringMatching(/^mv_/),
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    organizationId: owner.organizationId,
    moduleDefinitionId: id,
    version: '1.4.0',
    description: 'Change.',
    config: { inputs: [] },
  })
  expect(await client.done('GET', `/module-versions/${version.id}`)).toEqual(version)
  expect(await definition(id)).toMatchObject({ status: 'ACTIVE', latestVersion: '1.4.0', latestVersionId: version.id })
})

test('a version declares the option sources of its inputs and the inputs that these depend on', async () => {
  const { id } = await define()
  const subnets = '$values:cloud/subnets?cloudAccountId=<< module.input.account >>&region=<< module.input.region >>'
  const input = (id: string, values?: string) => ({ id, label: id, type: 'string', ...(values && { values }) })
  const config = {
    inputs: [
      input('account', '$values:service/cloud_accounts'),
      input('region', '$values:cloud/regions'),
      { id: 'hosts', label: 'Hosts', type: 'object_array', item_inputs: [input('subnet', subnets)] },
    ],
    deploy: completeDeploy('cloud:ecs', {
      inputs: [input('repository'), input('tag', '$values:cloud/images?repository=<< deploy.input.repository >>')],
    }),
  }
  const expected = [
    { input: 'module.input.account', provider: 'service/cloud_accounts', dependsOn: [] },
    { input: 'module.input.region', provider: 'cloud/regions', dependsOn: [] },
    {
      input: 'module.input.hosts[].subnet',
      provider: 'cloud/subnets',
      dependsOn: ['module.input.account', 'module.input.region'],
    },
    { input: 'deploy.input.tag', provider: 'cloud/images', dependsOn: ['deploy.input.repository'] },
  ]
  const published = await publish(id, '1.0.0', { config })
  expect(published.optionSources, 'see module-versions/option-sources.ts').toEqual(expected)
  const listed = await client.done<ModuleVersion[]>('GET', `/module-versions?moduleDefinitionId=${id}`)
  expect(listed.map(({ optionSources }) => optionSources)).toEqual([expected])
})

test('the latest version is the highest, regardless of the order of publication', async () => {
  const { id } = await define()
  const high = await publish(id, '1.10.0')
  await publish(id, '1.9.0')
  await publish(id, '1.10.0-3')
  expect(await definition(id)).toMatchObject({ latestVersion: '1.10.0', latestVersionId: high.id })
})

test('concurrent publications leave the highest version as the latest', async () => {
  const { id } = await define()
  await Promise.all(['1.0.0', '3.0.0', '2.0.0'].map((version) => publish(id, version)))
  expect(await definition(id)).toMatchObject({ latestVersion: '3.0.0' })
})

test('a config is returned as it was sent', async () => {
  const { id } = await define()
  const config = {
    readme: '# Web\n',
    inputs: [
      { id: 'replicas', label: 'Replicas', type: 'number', default: null, min: 0.5, values: [] },
      { id: 'tags', type: 'keyvalue', default: { a: '' } },
      { id: 'more', type: 'section', show_when: { replicas: { not: [1, 2] } } },
    ],
    stack: {
      type: 'iac',
      pipelines: {
        defaults: {
          input: { iac_variables: { nested: [[], {}, null, -1.5e-7, 'ü €'], '...x': '<< module.input.tags >>' } },
        },
      },
    },
    ui: null,
    deploy: completeDeploy('cloud:static', {
      timeout: 1800,
      inputs: [{ id: 'directory', type: 'string', required: true }],
      concurrency: { queue_size: 1, queue_overflow: 'oldest' },
    }),
  }
  const version = await publish(id, '1.0.0', { config })
  expect(version.config).toEqual(config)
  expect((await client.done<ModuleVersion>('GET', `/module-versions/${version.id}`)).config).toEqual(config)
})

test('a version can be published once, and a dry run reports the conflict', async () => {
  const { id } = await define()
  await publish(id, '1.0.0')
  for (const more of [{}, { config: { inputs: [], readme: 'x' } }, { dryRun: true }]) {
    const answer = await client.ask('POST', '/module-versions', wish(id, '1.0.0', more))
    expect(answer).toMatchObject(apiErrorOf('moduleVersionTaken'))
  }
  await publish(id, '1.0.0+build')
})

test('a dry run returns what would be published and stores nothing', async () => {
  const { id } = await define()
  const answer = await client.ask('POST', '/module-versions', wish(id, '1.0.0', { dryRun: true }))
  const data = { moduleDefinitionId: id, version: '1.0.0', config: { inputs: [] } }
  expect(answer).toMatchObject({ status: 202, body: { data } })
  expect(answer.headers.get('sluice-dry-run')).toBe('true')
  expect(answer.body).toEqual({ data })
  expect(await client.done('GET', `/module-versions?moduleDefinitionId=${id}`)).toEqual([])
  expect(await definition(id)).toMatchObject({ status: 'DRAFT' })
})

test(
  'an invalid version is rejected',
  everyCase(
    ['v1.0.0', '1.0', '01.0.0', '1.0.0-', '1.0.0-01', '1.0.0+', '=1.0.0', '9999999999999999.0.0', ''],
    async (version) => {
      const answer = await client.ask('POST', '/module-versions', wish('md_1', version))
      expect(answer).toMatchObject(apiErrorOf('requestInvalid'))
    },
  ),
)

test('an invalid config is rejected with all errors', async () => {
  const { id } = await define()
  const config = {
    inputs: [{ id: 'a' }, 'b'],
    $include: 'x',
    stack: [],
    deploy: { type: 'cloud:other', concurrency: { queue_size: -1 } },
  }
  const answer = await client.ask('POST', '/module-versions', wish(id, '1.0.0', { config, dryRun: true }))
  expect(answer).toMatchObject(apiErrorOf('moduleConfigInvalid'))
  const { details } = answer.body as { details: [{ items: string[] }] }
  expect(details[0].items.toSorted()).toEqual([
    '$.data.config.deploy.concurrency.queue_size: expected a number >= 0',
    '$.data.config.deploy.type: expected one of cloud:ecs, cloud:ec2, cloud:static, cloud:lambda',
    '$.data.config.inputs[0].type: required, but missing',
    '$.data.config.inputs[1]: expected object, got string',
    '$.data.config.stack: expected object, got array',
    '$.data.config["$include"]: unknown property; available: build, deploy, inputs, readme, stack, ui',
  ])
})

test.each([
  ['no inputs', {}, '$.data.config.inputs: required, but missing'],
  [
    'an input twice',
    {
      inputs: [
        { id: 'a', type: 'string' },
        { id: 'a', type: 'number' },
      ],
    },
    '$.data.config.inputs[1].id: expected another id, a is there already',
  ],
])('a config with %s is rejected', async (_what, config, fault) => {
  const { id } = await define()
  const answer = await client.ask('POST', '/module-versions', wish(id, '1.0.0', { config }))
  expect(answer).toMatchObject({ ...apiErrorOf('moduleConfigInvalid'), body: { details: [{ items: [fault] }] } })
})

test('a config can be larger than other bodies, up to 4 MiB', async () => {
  const { id } = await define()
  const readme = (bytes: number) => ({ config: { inputs: [], readme: 'x'.repeat(bytes) } })
  await publish(id, '1.0.0', readme(3 * 1024 * 1024))
  const answer = await client.ask('POST', '/module-versions', wish(id, '1.0.1', readme(4 * 1024 * 1024)))
  expect(answer).toMatchObject(apiErrorOf('bodyTooLarge'))
})

test('versions can be published only to the organization’s own definitions', async () => {
  const { id } = await define()
  await world.db.update(moduleDefinitions).set({ isGlobalPublished: true }).where(eq(moduleDefinitions.id, id))
  for (const moduleDefinitionId of [id, 'md_nobody']) {
    const answer = await other.ask('POST', '/module-versions', wish(moduleDefinitionId, '1.0.0'))
    expect(answer).toMatchObject({ status: 422, body: { metadata: { field: 'moduleDefinitionId' } } })
  }
})

test('versions of global definitions are visible to everyone without their organization', async () => {
  const { id } = await define()
  const version = await publish(id, '1.0.0')
  const path = `/module-versions/${version.id}`
  expect(await other.ask('GET', path)).toMatchObject(apiErrorOf('moduleVersionNotFound'))
  await world.db.update(moduleDefinitions).set({ isGlobalPublished: true }).where(eq(moduleDefinitions.id, id))
  const { organizationId: _, ...shown } = version
  expect(await other.done('GET', path)).toEqual(shown)
  expect(await other.done('GET', `/module-versions?moduleDefinitionId=${id}`)).toEqual([shown])
  expect(await other.ask('DELETE', path)).toMatchObject(apiErrorOf('moduleVersionNotFound'))
})

test('without its last version, a definition becomes a draft again', async () => {
  const { id } = await define()
  const [first, second] = [await publish(id, '1.0.0'), await publish(id, '2.0.0')]
  expect(await client.ask('DELETE', `/module-versions/${second.id}`)).toMatchObject({ status: 204 })
  expect(await definition(id)).toMatchObject({ status: 'ACTIVE', latestVersion: '1.0.0', latestVersionId: first.id })
  expect(await client.ask('DELETE', `/module-versions/${first.id}`)).toMatchObject({ status: 204 })
  const left = await definition(id)
  expect(left).toMatchObject({ status: 'DRAFT' })
  expect(left).not.toHaveProperty('latestVersion')
})

test('a version in use cannot be deleted', async () => {
  const [id = ''] = await seedInstances(world.db, owner.organizationId, 1)
  const instance = await client.done<{ moduleVersionId: string; givenId: string }>('GET', `/module-instances/${id}`)
  expect(await client.ask('DELETE', `/module-versions/${instance.moduleVersionId}`)).toMatchObject({
    status: 409,
    body: {
      code: apiErrors.moduleVersionInUse.code,
      details: [{ items: [`module instance ${instance.givenId} (${id})`] }],
    },
  })
})

test('publishing is audited without the config', async () => {
  const { id } = await define()
  const version = await publish(id, '1.0.0')
  const [event] = await world.db.select().from(auditEvents).where(eq(auditEvents.resourceId, version.id))
  const details = { moduleDefinitionId: id, version: '1.0.0', description: 'Change.' }
  expect(event).toMatchObject({ action: 'module-versions.create', details })
  expect(event?.details).not.toHaveProperty('config')
})

test('a config can refer to missing definitions, with a warning', async () => {
  const { id, type } = await define()
  const reference = (to: string) => ({ id: 'network', label: 'x', type: `$ref:${to}` })
  const warningsOf = async (config: object, more: object = { dryRun: true }) => {
    const answer = await client.ask('POST', '/module-versions', wish(id, '1.0.0', { config, ...more }))
    expect(answer.status).toBe('dryRun' in more ? 202 : 201)
    return JSON.parse(answer.headers.get('sluice-warnings') ?? '[]')
  }
  const nested = { id: 'rules', label: 'x', type: 'object_array', item_inputs: [reference('nobody')] }
  expect(await warningsOf({ inputs: [reference('nothing'), nested] })).toEqual([
    '$.data.config.inputs[0].type: there is no module definition of the type nothing yet',
    '$.data.config.inputs[1].item_inputs[0].type: there is no module definition of the type nobody yet',
  ])
  const foreign = await other.done<ModuleDefinition>('POST', '/module-definitions', {
    data: { type: 'theirs', name: 'Theirs', description: '' },
  })
  expect(await warningsOf({ inputs: [reference(foreign.type)] })).toHaveLength(1)
  const many = Array.from({ length: 200 }, (_, index) => ({ ...reference(`t${index}`), id: `i${index}` }))
  expect((await warningsOf({ inputs: many })).at(-1)).toMatch(/^\d+ more$/)
  expect(await warningsOf({ inputs: [reference(type)] }, {})).toEqual([])
  const wrong = { config: { inputs: [reference('No such')] } }
  const answer = await client.ask('POST', '/module-versions', wish(id, '2.0.0', wrong))
  expect(answer).toMatchObject(apiErrorOf('moduleConfigInvalid'))
})

test(
  'a build that is stored but never run produces a warning',
  everyCase<[object, boolean]>(
    [
      [{ type: 'image' }, false],
      [{ type: 'image', builder: { type: 'nixpacks' } }, false],
      [{ type: 'static', builder: { type: 'nixpacks' } }, true],
      [{ type: 'static', builder: { type: 'commands', build_cmd: 'make' } }, false],
      [{ type: 'lambda' }, false],
      [{ type: 'disabled' }, false],
    ],
    async (build, isWarnedOf) => {
      const { id } = await define()
      const config = { inputs: [], build }
      const { headers } = await client.ask('POST', '/module-versions', wish(id, '1.0.0', { config }))
      const warned = '["$.data.config.build: is stored but never run"]'
      expect(headers.get('sluice-warnings')).toBe(isWarnedOf ? warned : null)
    },
  ),
)
