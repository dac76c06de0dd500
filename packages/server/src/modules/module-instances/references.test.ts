import { apiErrors, type ModuleDefinition, type ModuleInstance, type ModuleInstanceUpgrade } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eq } from '../../platform/db/drizzle.ts'
import { stacks } from '../../stacks/stacks/tables.ts'
import { Client } from '../../testing/client.ts'
import { type SeededOrganization, seedOrganization, startHttpWorld } from '../../testing/http-world.ts'

type Json = Record<string, unknown>

let world: Awaited<ReturnType<typeof startHttpWorld>>
let owner: SeededOrganization
let client: Client
let network: ModuleDefinition
let service: ModuleDefinition
let environmentId: string

const label = 'x'
const networkInputs = [
  { id: 'cidr', label, type: 'string', default: '10.0.0.0/16', immutable: true },
  { id: 'peer_id', label, type: '$ref:network' },
]
const serviceInputs = [
  {
    id: 'network_id',
    label,
    type: '$ref:network',
    required: true,
    mapped_inputs: [
      { id: 'cidr', label, type: 'string', default: '<< ref.input.cidr >>' },
      { id: 'vpc_id', label, type: 'string', default: '<< ref.stack.output.vpc_id >>' },
    ],
  },
  { id: 'size', label, type: 'number', default: 2 },
]
const ui = { links: [{ name: 'Network', href: 'https://<< module.input.vpc_id >>.example/' }] }
const stack = { type: 'iac', pipelines: { defaults: { variant: 'standard', input: { stack_id: '<< stack.id >>' } } } }

beforeAll(async () => {
  world = await startHttpWorld()
  owner = await seedOrganization(world.db)
  client = new Client(world.url, owner.key)
  environmentId = await environment('production')
  network = await define('network')
  await publish(network, '1.0.0', { inputs: networkInputs, stack })
  service = await define('service')
  await publish(service, '1.0.0', { inputs: serviceInputs, ui })
})
afterAll(() => world?.[Symbol.asyncDispose]())

let names = 0
const fresh = (word: string) => {
  names += 1
  return `${word}-${names}`
}
async function environment(givenId: string): Promise<string> {
  const project = { data: { givenId: fresh('shop'), name: 'Shop' } }
  const { id: projectId } = await client.done<{ id: string }>('POST', '/projects', project)
  return (await client.done<{ id: string }>('POST', '/environments', { data: { projectId, givenId, name: givenId } }))
    .id
}
const define = (type: string) =>
  client.done<ModuleDefinition>('POST', '/module-definitions', { data: { type, name: type, description: '' } })
const publish = ({ id }: ModuleDefinition, version: string, config: object) =>
  client.done<{ id: string }>('POST', '/module-versions', {
    data: { moduleDefinitionId: id, version, description: 'x', config },
  })
const wish = (definition: ModuleDefinition, input: Json, more: Json = {}) => ({
  data: { environmentId, moduleDefinitionId: definition.id, givenId: fresh('one'), name: 'One', input, ...more },
})
const create = (definition: ModuleDefinition, input: Json = {}, more: Json = {}) =>
  client.done<ModuleInstance>('POST', '/module-instances', wish(definition, input, more))
type Refused = { code: string; details: [{ items: string[] }] }
const patch = async (id: string, data: Json) => {
  const { status, body } = await client.ask('PATCH', `/module-instances/${id}`, { data })
  return { status, body: body as Refused }
}
const valuesOf = async (id: string) =>
  (await client.done<{ values: Json }>('GET', `/module-instances/${id}/inputs`)).values
const applied = (stackId: string | undefined, outputs: Json) =>
  world.db
    .update(stacks)
    .set({ outputs, lastAppliedAt: new Date() })
    .where(eq(stacks.id, stackId ?? ''))

test('an instance reads the current inputs and outputs of the instance it refers to', async () => {
  const net = await create(network)
  const web = await create(service, { network_id: net.givenId })
  expect(await valuesOf(web.id)).toEqual({ network_id: net.givenId, cidr: '10.0.0.0/16', vpc_id: null, size: 2 })
  expect(web.ui).toEqual({ links: [{ name: 'Network', href: 'https://.example/' }] })
  await applied(net.stackId, { vpc_id: 'vpc-1' })
  expect(await valuesOf(web.id)).toMatchObject({ vpc_id: 'vpc-1' })
  const seen = { ui: { links: [{ href: 'https://vpc-1.example/' }] } }
  expect(await client.done('GET', `/module-instances/${web.id}`)).toMatchObject(seen)
  expect(await client.done('GET', `/module-instances?ids=${web.id}`)).toMatchObject([seen])
})

test('a referenced instance must exist, have the right type and be in the same environment', async () => {
  const web = await create(service, { network_id: (await create(network)).id })
  const elsewhere = await create(network, {}, { environmentId: await environment('elsewhere') })
  const faults = async (network_id: string) => {
    const answer = await client.ask('POST', '/module-instances', wish(service, { network_id }))
    const { status, body } = answer as { status: number; body: Refused }
    expect({ status, code: body.code }).toEqual({ status: 400, code: apiErrors.moduleInputInvalid.code })
    return body.details[0].items
  }
  const absent = (name: string) => [`input.network_id names no network in this environment: ${name}`]
  expect(await faults('nobody')).toEqual(absent('nobody'))
  expect(await faults(elsewhere.id)).toEqual(absent(elsewhere.id))
  expect(await faults(web.id)).toEqual([`input.network_id must name a network; ${web.givenId} is a service`])
})

test('a reference to a missing definition is rejected when used and works once the definition exists', async () => {
  const type = fresh('later')
  const early = await define(fresh('early'))
  const optional = { id: 'later_id', label: 'x', type: `$ref:${type}` }
  const rules = { id: 'rules', label: 'x', type: 'object_array', item_inputs: [{ ...optional, required: true }] }
  await publish(early, '1.0.0', { inputs: [optional, rules] })
  const refused = async (input: Json) => {
    const { status, body } = await client.ask('POST', '/module-instances', wish(early, input))
    expect(status).toBe(400)
    return (body as Refused).details[0].items
  }
  const why = `names a module of the type ${type}, and there is no definition of that type yet`
  expect(await refused({ later_id: 'one' })).toEqual([`input.later_id ${why}`])
  expect(await refused({ rules: [{}] })).toEqual([`input.rules[0].later_id ${why}`])
  await create(early)

  const later = await define(type)
  expect(await refused({ later_id: 'one' })).toEqual([`input.later_id names no ${type} in this environment: one`])
  await publish(later, '1.0.0', { inputs: [] })
  const one = await create(later)
  await create(early, { later_id: one.givenId })
})

test('a referenced instance can be neither deleted nor moved, and keeps its references when renamed', async () => {
  const net = await create(network)
  const web = await create(service, { network_id: net.givenId })
  const users = { details: [{ items: [`module instance ${web.givenId} (${web.id}), by its input network_id`] }] }
  const inUse = { status: 409, body: { code: apiErrors.moduleInstanceInUse.code, ...users } }
  expect(await client.ask('DELETE', `/module-instances/${net.id}`)).toMatchObject(inUse)
  expect(await patch(net.id, { environmentId: await environment('elsewhere') })).toMatchObject(inUse)

  expect(await patch(net.id, { givenId: fresh('renamed') })).toMatchObject({ status: 200 })
  expect(await valuesOf(web.id)).toMatchObject({ cidr: '10.0.0.0/16' })
  expect(await patch(web.id, { name: 'Two' })).toMatchObject({ status: 200 })

  const other = await create(network, { cidr: '10.1.0.0/16' })
  expect(await patch(web.id, { input: { network_id: other.id } })).toMatchObject({ status: 200 })
  expect(await valuesOf(web.id)).toMatchObject({ cidr: '10.1.0.0/16' })
  expect(await client.ask('DELETE', `/module-instances/${net.id}`)).toMatchObject({ status: 204 })
  expect(
    await world.db
      .select()
      .from(stacks)
      .where(eq(stacks.id, net.stackId ?? '')),
  ).toEqual([])
})

test('a cycle of references is rejected with its instances', async () => {
  const a = await create(network)
  const b = await create(network, { peer_id: a.id })
  const c = await create(network, { peer_id: b.id })
  const { status, body } = await patch(a.id, { input: { peer_id: c.id } })
  expect({ status, items: body.details[0].items }).toEqual({
    status: 400,
    items: [
      `input.peer_id would make a circle of references: ${[a, c, b, a].map(({ givenId }) => givenId).join(' → ')}`,
    ],
  })
  expect(await patch(a.id, { input: { peer_id: a.id } })).toMatchObject({ status: 400 })
})

test('concurrent changes cannot create a cycle together', async () => {
  const changes = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const c = await create(network)
      const b = await create(network)
      const a = await create(network)
      await patch(c.id, { input: { peer_id: a.id } })
      return [
        [a.id, b.id],
        [b.id, c.id],
      ] as const
    }),
  )
  const statuses = await Promise.all(
    changes.map((pair) =>
      Promise.all(pair.map(async ([from, to]) => (await patch(from, { input: { peer_id: to } })).status)),
    ),
  )
  expect(statuses.map((pair) => pair.toSorted())).toEqual(changes.map(() => [200, 400]))
})

test('an upgrade lists new, removed and invalid inputs and changed defaults, and fails only for invalid ones', async () => {
  const net = await create(network)
  const web = await create(service, { network_id: net.id, size: 3 })
  const [reference] = serviceInputs
  const inputs = [
    reference,
    { id: 'replicas', label: 'Replicas', type: 'number', required: true },
    { id: 'zone', label, type: 'string', default: '<< environment.given_id >>' },
  ]
  const { id: toVersionId } = await publish(service, '2.0.0', { inputs })
  const path = `/module-instances/${web.id}/upgrade?moduleVersionId=`
  const upgrade = await client.done<ModuleInstanceUpgrade>('GET', path + toVersionId)
  expect(upgrade).toEqual({
    moduleInstanceId: web.id,
    fromVersionId: web.moduleVersionId,
    fromVersion: '1.0.0',
    toVersionId,
    toVersion: '2.0.0',
    newInputs: [
      { id: 'replicas', label: 'Replicas', type: 'number', isRequired: true, value: null },
      { id: 'zone', label, type: 'string', isRequired: false, value: 'production' },
    ],
    removedInputs: [{ id: 'size', isSet: true }],
    changedDefaults: [],
    errors: [expect.objectContaining({ path: 'input.size' }), { path: 'input.replicas', message: 'is required' }],
  })
  const refused = await patch(web.id, { moduleVersionId: toVersionId })
  expect(refused).toMatchObject({ status: 400, body: { metadata: { errors: upgrade.errors } } })
  const input = { network_id: net.id, replicas: 1 }
  expect(await patch(web.id, { moduleVersionId: toVersionId, input })).toMatchObject({ status: 200 })

  const apiError = (key: keyof typeof apiErrors) => ({
    status: apiErrors[key].status,
    body: { code: apiErrors[key].code },
  })
  expect(await client.ask('GET', `${path}mv_nobody`)).toMatchObject(apiError('moduleVersionNotFound'))
  expect(await client.ask('GET', path + net.moduleVersionId)).toMatchObject(apiError('moduleVersionMismatch'))
})

test('an immutable input can change until infrastructure exists', async () => {
  const net = await create(network, { cidr: '10.1.0.0/16' })
  expect(await patch(net.id, { input: { cidr: '10.2.0.0/16' } })).toMatchObject({ status: 200 })
  const fixed = await define('fixed')
  await publish(fixed, '1.0.0', { inputs: networkInputs.slice(0, 1) })
  const { id } = await create(fixed, { cidr: 'a' })
  const { status, body } = await patch(id, { input: { cidr: 'b' } })
  expect({ status, items: body.details[0].items }).toEqual({
    status: 400,
    items: ['input.cidr cannot be changed: it is "a" and would be "b"'],
  })
})

test('the form contains visibility, values and options', async () => {
  const definition = await define('form')
  const option = { value: 'b', label: 'B', show_when: { region: 'x' } }
  const inputs = [
    { id: 'heading', label: 'Heading', type: 'section' },
    { id: 'kind', label, type: 'string', values: [{ value: 'a', label: 'A' }, option] },
    { id: 'region', label, type: 'string', values: '$values:cloud/regions', default: '$values:first' },
    { id: 'rules', label, type: 'object_array', item_inputs: [{ id: 'port', label, type: 'number' }] },
    { id: 'hidden', label, type: 'string', default: 'x', show_when: { kind: 'b' } },
  ]
  await publish(definition, '1.0.0', { inputs })
  const { id } = await create(definition, { rules: [{ port: 1 }] })
  const { form, values, errors } = await client.done<{ form: Json[]; values: Json; errors: [] }>(
    'GET',
    `/module-instances/${id}/inputs`,
  )
  expect(form.map(({ path, isVisible, value }) => [path, isVisible, value])).toEqual([
    ['heading', true, null],
    ['kind', true, null],
    ['region', true, 'us-east-1'],
    ['rules', true, [{ port: 1 }]],
    ['rules[0].port', true, 1],
    ['hidden', false, null],
  ])
  expect(form[1]).toMatchObject({ options: [{ value: 'a', label: 'A' }], definition: inputs[1] })
  expect(form[2]?.options).toContainEqual({ value: 'eu-west-1', label: 'Europe (Ireland), eu-west-1' })
  expect({ values, errors }).toMatchObject({ values: { region: 'us-east-1', hidden: null }, errors: [] })
})
