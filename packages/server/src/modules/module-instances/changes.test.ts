import type { ModuleDefinition, ModuleInstance } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deployments } from '../../delivery/deployments/store/tables.ts'
import { auditEvents } from '../../identity/audit-events/tables.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { apiErrorOf } from '../../testing/api-errors.ts'
import { Client } from '../../testing/client.ts'
import { type SeededOrganization, seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { createOneOfEverything } from '../../testing/resources.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
let owner: SeededOrganization
let client: Client
let environmentId: string
let otherEnvironment: { id: string; projectId: string }
let web: ModuleDefinition
let firstVersion: string

const config = {
  inputs: [
    { id: 'image', type: 'string', required: true },
    { id: 'replicas', type: 'number', default: 1 },
  ],
}

beforeAll(async () => {
  world = await startHttpWorld()
  owner = await seedOrganization(world.db)
  client = new Client(world.url, owner.key)
  environmentId = (await place('shop')).id
  otherEnvironment = await place('office')
  web = await define('web')
  firstVersion = await publish(web.id, '1.0.0', config)
})
afterAll(() => world?.[Symbol.asyncDispose]())

async function place(givenId: string): Promise<{ id: string; projectId: string }> {
  const project = await client.done<{ id: string }>('POST', '/projects', { data: { givenId, name: givenId } })
  const data = { projectId: project.id, givenId: 'production', name: 'Production' }
  return client.done('POST', '/environments', { data })
}

const define = (type: string) =>
  client.done<ModuleDefinition>('POST', '/module-definitions', { data: { type, name: type, description: '' } })

async function publish(moduleDefinitionId: string, version: string, config: object): Promise<string> {
  const data = { moduleDefinitionId, version, description: 'x', config }
  return (await client.done<{ id: string }>('POST', '/module-versions', { data })).id
}

let names = 0
const wish = (more: object = {}) => {
  names += 1
  const named = { givenId: `web-${names}`, name: 'Web' }
  return { data: { environmentId, moduleDefinitionId: web.id, ...named, input: { image: 'web:1' }, ...more } }
}
const create = (more?: object) => client.done<ModuleInstance>('POST', '/module-instances', wish(more))
const listed = async (query: string) =>
  (await client.done<ModuleInstance[]>('GET', `/module-instances?${query}`)).map(({ id }) => id)

/** Creates an instance with a deployment of this status. */
async function deployed(status: 'SUCCESS' | 'IN_PROGRESS') {
  const { organizationId, byPath } = await createOneOfEverything(world.db)
  const { id } = await create()
  const [template] = await world.db
    .select()
    .from(deployments)
    .where(eq(deployments.id, byPath.deployments ?? ''))
  if (!template) throw new Error(`${organizationId} has no deployment`)
  const waits = status === 'IN_PROGRESS' && { wakeAt: new Date(), deadlineAt: new Date(), waitingFor: 'a test' }
  const place = { organizationId: owner.organizationId, moduleInstanceId: id, environmentId }
  const deploymentId = `dep_${id}`
  await world.db.insert(deployments).values({ ...template, id: deploymentId, ...place, status, ...waits })
  return { id, deploymentId }
}

test('an instance uses the latest version by default', async () => {
  const latest = await publish(web.id, '1.1.0', config)
  const instance = await create({ description: 'd' })
  expect(instance).toEqual({
    id: expect.stringMatching(/^mi_/),
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    organizationId: owner.organizationId,
    projectId: expect.stringMatching(/^prj_/),
    environmentId,
    moduleDefinitionId: web.id,
    moduleVersionId: latest,
    givenId: instance.givenId,
    name: 'Web',
    description: 'd',
    type: 'web',
    status: 'ACTIVE',
    input: { image: 'web:1' },
  })
  expect(await client.done('GET', `/module-instances/${instance.id}`)).toEqual(instance)
  expect(await create({ moduleVersionId: firstVersion })).toMatchObject({ moduleVersionId: firstVersion })
})

test('an instance with its own infrastructure is pending until the infrastructure exists', async () => {
  const network = await define('network')
  await publish(network.id, '1.0.0', { inputs: [], stack: { type: 'iac' } })
  expect(await create({ moduleDefinitionId: network.id, input: {} })).toMatchObject({ status: 'PENDING' })
})

test('an invalid input is rejected with all errors', async () => {
  const answer = await client.ask('POST', '/module-instances', wish({ input: { replicas: '3', size: 1 } }))
  expect(answer).toMatchObject({
    ...apiErrorOf('moduleInputInvalid'),
    body: {
      details: [
        {
          items: [
            'input.size is not an input of this module; it takes image, replicas',
            'input.image is required',
            'input.replicas must be a number',
          ],
        },
      ],
    },
  })
})

test.each([
  ['environmentId', { environmentId: 'env_nobody' }],
  ['moduleDefinitionId', { moduleDefinitionId: 'md_nobody' }],
  ['moduleVersionId', { moduleVersionId: 'mv_nobody' }],
])('an instance with a missing %s is rejected', async (field, more) => {
  const answer = await client.ask('POST', '/module-instances', wish(more))
  expect(answer).toMatchObject({ ...apiErrorOf('referenceNotFound'), body: { metadata: { field } } })
})

test('an instance needs a version of its own definition', async () => {
  const draft = await define('draft')
  expect(await client.ask('POST', '/module-instances', wish({ moduleDefinitionId: draft.id }))).toMatchObject(
    apiErrorOf('moduleHasNoVersion'),
  )
  const mixed = wish({ moduleDefinitionId: draft.id, moduleVersionId: firstVersion })
  expect(await client.ask('POST', '/module-instances', mixed)).toMatchObject(apiErrorOf('moduleVersionMismatch'))
})

test('a givenId is unique within an environment', async () => {
  const { givenId } = await create()
  const taken = apiErrorOf('moduleInstanceGivenIdTaken')
  expect(await client.ask('POST', '/module-instances', wish({ givenId }))).toMatchObject(taken)
  const elsewhere = await create({ givenId, environmentId: otherEnvironment.id })
  const path = `/module-instances/${elsewhere.id}`
  expect(await client.ask('PATCH', path, { data: { environmentId } })).toMatchObject(taken)
})

test('an update changes only the supplied fields', async () => {
  const before = await create({ description: 'old' })
  const path = `/module-instances/${before.id}`
  const changed = await client.done<ModuleInstance>('PATCH', path, {
    data: { name: 'New', givenId: 'renamed', autoapprove: true, runStack: false },
  })
  expect(changed).toEqual({ ...before, name: 'New', givenId: 'renamed', updatedAt: expect.any(String) })
  expect(await client.done('PATCH', path, { data: {} })).toMatchObject({ name: 'New', description: 'old' })
  expect(await client.ask('PATCH', path, { data: { status: 'ERROR' } })).toMatchObject(apiErrorOf('requestInvalid'))
  expect(await client.ask('PATCH', path, { data: { runStack: true } })).toMatchObject(apiErrorOf('stackNotAvailable'))
  expect(await client.ask('PATCH', '/module-instances/mi_x', { data: {} })).toMatchObject(
    apiErrorOf('moduleInstanceNotFound'),
  )
})

test('an input is replaced as a whole and validated', async () => {
  const { id } = await create({ input: { image: 'web:1', replicas: 2 } })
  const path = `/module-instances/${id}`
  expect(await client.done('PATCH', path, { data: { input: { image: 'web:2' } } })).toMatchObject({
    input: { image: 'web:2' },
  })
  const input = { image: 7 }
  expect(await client.ask('PATCH', path, { data: { input } })).toMatchObject(apiErrorOf('moduleInputInvalid'))
})

test('an instance that moves to another project gets its project id', async () => {
  const { id } = await create()
  const path = `/module-instances/${id}`
  expect(await client.done('PATCH', path, { data: { environmentId: otherEnvironment.id } })).toMatchObject({
    environmentId: otherEnvironment.id,
    projectId: otherEnvironment.projectId,
  })
  const nowhere = { data: { environmentId: 'env_nobody' } }
  expect(await client.ask('PATCH', path, nowhere)).toMatchObject(apiErrorOf('referenceNotFound'))
})

test('an instance can only move to a version that accepts its input', async () => {
  const { id } = await create({ moduleVersionId: firstVersion })
  const path = `/module-instances/${id}`
  const strict = await publish(web.id, '0.9.0', { inputs: [{ id: 'picture', type: 'string', required: true }] })
  const moved = { moduleVersionId: strict }
  expect(await client.ask('PATCH', path, { data: moved })).toMatchObject(apiErrorOf('moduleInputInvalid'))
  const both = { ...moved, input: { picture: 'web:2' } }
  expect(await client.done('PATCH', path, { data: both })).toMatchObject(both)
})

test('another definition brings its type and its latest version', async () => {
  const { id } = await create({ moduleVersionId: firstVersion })
  const path = `/module-instances/${id}`
  const job = await define('job')
  const version = await publish(job.id, '1.0.0', config)
  const foreign = { data: { moduleVersionId: version } }
  expect(await client.ask('PATCH', path, foreign)).toMatchObject(apiErrorOf('moduleVersionMismatch'))
  expect(await client.done('PATCH', path, { data: { moduleDefinitionId: job.id } })).toMatchObject({
    moduleDefinitionId: job.id,
    moduleVersionId: version,
    type: 'job',
  })
})

test('an instance without history is removed when deleted', async () => {
  const { id } = await create()
  expect(await client.ask('DELETE', `/module-instances/${id}`)).toMatchObject({ status: 204, body: undefined })
  expect(await client.ask('GET', `/module-instances/${id}`)).toMatchObject(apiErrorOf('moduleInstanceNotFound'))
  expect(await client.ask('DELETE', `/module-instances/${id}`)).toMatchObject(apiErrorOf('moduleInstanceNotFound'))
})

test('an instance cannot be deleted during a deployment', async () => {
  const { id, deploymentId } = await deployed('IN_PROGRESS')
  expect(await client.ask('DELETE', `/module-instances/${id}`)).toMatchObject({
    ...apiErrorOf('moduleInstanceInUse'),
    body: { details: [{ items: [`deployment ${deploymentId}`] }] },
  })
})

test('an instance with history stays as destroyed, is hidden by default, and frees its givenId', async () => {
  const { id } = await deployed('SUCCESS')
  const { givenId } = await client.done<ModuleInstance>('GET', `/module-instances/${id}`)
  expect(await client.ask('DELETE', `/module-instances/${id}`)).toMatchObject({ status: 204 })
  expect(await client.done('GET', `/module-instances/${id}`)).toMatchObject({ givenId, status: 'DESTROYED' })
  expect(await listed(`givenId=${givenId}`)).toEqual([])
  expect(await listed(`givenId=${givenId}&status=DESTROYED&status=ACTIVE`)).toEqual([id])
  expect(await listed(`ids=${id}`)).toEqual([id])

  const successor = await create({ givenId })
  expect(await listed(`givenId=${givenId}`)).toEqual([successor.id])
  const renamed = { data: { name: 'New' } }
  expect(await client.ask('PATCH', `/module-instances/${id}`, renamed)).toMatchObject(
    apiErrorOf('moduleInstanceDestroyed'),
  )
  expect(await client.ask('DELETE', `/module-instances/${id}`)).toMatchObject({ status: 204 })
})

test('every change is audited, with only the names of inputs', async () => {
  const { id } = await create({ input: { image: 'secret' } })
  await client.done('PATCH', `/module-instances/${id}`, { data: { input: { image: 'secret' }, name: 'New' } })
  await client.ask('DELETE', `/module-instances/${id}`)
  const events = await world.db.select().from(auditEvents).where(eq(auditEvents.resourceId, id)).orderBy(auditEvents.id)
  expect(events.map(({ action }) => action)).toEqual([
    'module-instances.create',
    'module-instances.update',
    'module-instances.delete',
  ])
  expect(events[1]).toMatchObject({ details: { name: 'New', input: ['image'] } })
  expect(JSON.stringify(events)).not.toContain('secret')
})
