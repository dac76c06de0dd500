import type { ModuleDefinition, ModuleInstance, ModuleVersion } from '@sluice/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { moduleInstances } from '../../../modules/module-instances/tables.ts'
import { eq } from '../../../platform/db/drizzle.ts'
import { newId } from '../../../platform/ids.ts'
import { stacks } from '../../../stacks/stacks/tables.ts'
import { Client } from '../../../testing/client.ts'
import { type SeededOrganization, seedOrganization, startHttpWorld } from '../../../testing/http-world.ts'
import { findOwner, storeReleasedServicesOfStack } from './adopt.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
let owner: SeededOrganization
let client: Client
let projectId: string
let environmentId: string

beforeAll(async () => {
  world = await startHttpWorld()
  owner = await seedOrganization(world.db)
  client = new Client(world.url, owner.key)
  const project = await client.done<{ id: string }>('POST', '/projects', { data: { givenId: 'shop', name: 'Shop' } })
  projectId = project.id
  const data = { projectId, givenId: 'production', name: 'Production' }
  environmentId = (await client.done<{ id: string }>('POST', '/environments', { data })).id
})
afterAll(() => world?.[Symbol.asyncDispose]())

const arnOf = (service: string) => `arn:aws:ecs:eu-west-1:123456789012:service/main/${service}`

const blockOf = (serviceArn: string) => ({
  type: 'cloud:ecs',
  timeout: 900,
  inputs: [{ id: 'image_ref', type: 'string', required: true }],
  infrastructure: { ecs_cluster_arn: 'arn:aws:ecs:eu-west-1:123456789012:cluster/main', ecs_service_arn: serviceArn },
  task_definition: { family: 'app', container_definitions: [{ name: 'app', image: '<< deploy.input.image_ref >>' }] },
})

/** Creates an instance of a new module; its deploy block can read the input `service`. */
async function placed(givenId: string, deploy: object, input: object = {}): Promise<ModuleInstance> {
  const named = { type: givenId, name: givenId, description: '' }
  const { id } = await client.done<ModuleDefinition>('POST', '/module-definitions', { data: named })
  const config = { inputs: [{ id: 'service', type: 'string' }], deploy }
  const version = { moduleDefinitionId: id, version: '1.0.0', description: 'x', config }
  await client.done<ModuleVersion>('POST', '/module-versions', { data: version })
  const data = { environmentId, moduleDefinitionId: id, givenId, name: givenId, input }
  return client.done<ModuleInstance>('POST', '/module-instances', { data })
}

const ownerOf = async (service: string, organizationId = owner.organizationId) =>
  (await findOwner(world.db, organizationId, arnOf(service)))?.moduleInstanceId

describe.concurrent('a service without a deployment belongs to', () => {
  test('the module instance of the same organization whose module names it', async () => {
    const { id } = await placed('named', blockOf(arnOf('named')))
    expect(await ownerOf('named')).toBe(id)
    expect(await ownerOf('named', (await seedOrganization(world.db)).organizationId)).toBeUndefined()
  })

  test('the instance whose current inputs name it', async () => {
    const { id } = await placed('given', blockOf('<< module.input.service >>'), { service: arnOf('given-1') })
    expect(await ownerOf('given-1')).toBe(id)
    await client.done('PATCH', `/module-instances/${id}`, { data: { input: { service: arnOf('given-2') } } })
    expect([await ownerOf('given-1'), await ownerOf('given-2')]).toEqual([undefined, id])
    await client.ask('DELETE', `/module-instances/${id}`)
    expect(await ownerOf('given-2')).toBeUndefined()
  })

  test('the instance whose infrastructure outputs name it, once they are applied', async () => {
    const { id } = await placed('made', blockOf('<< stack.output.service_arn >>'))
    const stackId = await stackOf(id)
    expect(await ownerOf('made')).toBeUndefined()
    await world.db
      .update(stacks)
      .set({ outputs: { service_arn: arnOf('made') } })
      .where(eq(stacks.id, stackId))
    await storeReleasedServicesOfStack(world.db, owner.organizationId, stackId)
    expect(await ownerOf('made')).toBe(id)
  })

  test.each([
    ['the inputs of a deployment', '<< deploy.input.image_ref >>'],
    ['an expression that fails', '<< module.input.service + 1 >>'],
    ['no service', '<< module.input.service ? "arn:aws:ecs:eu-west-1:123456789012:cluster/main" : "" >>'],
  ])('no instance if the module names %s, without an error', async (what, serviceArn) => {
    const { status } = await placed(what.replaceAll(' ', '-'), blockOf(serviceArn), { service: 'x' })
    expect(status).toBe('ACTIVE')
    expect(await ownerOf('x')).toBeUndefined()
  })
})

/** Gives an instance a stack that was never applied. */
async function stackOf(moduleInstanceId: string): Promise<string> {
  const { organizationId } = owner
  const id = newId('stk')
  await world.db.insert(stacks).values({ id, organizationId, projectId, givenId: id, name: 'Stack' })
  await world.db.update(moduleInstances).set({ stackId: id }).where(eq(moduleInstances.id, moduleInstanceId))
  return id
}
