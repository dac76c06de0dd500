import type { Stack, StackWorkspace } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { iacResources } from '../../infrastructure/iac-resources/tables.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { apiErrorOf } from '../../testing/api-errors.ts'
import { Client } from '../../testing/client.ts'
import { startHttpWorld } from '../../testing/http-world.ts'
import { addMember } from '../../testing/members.ts'
import { createOneOfEverything, type OneOfEverything } from '../../testing/resources.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
let client: Client
let made: OneOfEverything
let projectId: string

beforeAll(async () => {
  world = await startHttpWorld()
  made = await createOneOfEverything(world.db)
  client = new Client(world.url, await addMember(world.db, made.organizationId, 'OWNER'))
  const project = { data: { givenId: 'shop', name: 'Shop' } }
  projectId = (await client.done<{ id: string }>('POST', '/projects', project)).id
})
afterAll(() => world?.[Symbol.asyncDispose]())

let names = 0
const create = (more: object = {}) => {
  names += 1
  const data = { projectId, givenId: `network-${names}`, name: 'Network', ...more }
  return client.done<Stack>('POST', '/stacks', { data })
}
const addWorkspace = (stackId: string, name: string) =>
  client.done<StackWorkspace>('POST', '/stack-workspaces', { data: { stackId, name } })

test('a stack can be created, read and listed', async () => {
  const stack = await create({ description: 'd' })
  expect(stack).toEqual({
    id: expect.stringMatching(/^stk_/),
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    organizationId: made.organizationId,
    projectId,
    givenId: stack.givenId,
    name: 'Network',
    description: 'd',
  })
  expect(await client.done('GET', `/stacks/${stack.id}`)).toEqual(stack)
  expect(await client.done('GET', `/stacks?projectId=${projectId}&limit=1`)).toEqual([stack])
  const missing = { projectId: 'prj_nobody', givenId: 'a', name: 'A' }
  expect(await client.ask('POST', '/stacks', { data: missing })).toMatchObject(apiErrorOf('referenceNotFound'))
})

test('a givenId is unique within a project, and an update changes only the given fields', async () => {
  const { givenId } = await create()
  const second = await create({ description: 'old' })
  const path = `/stacks/${second.id}`
  const taken = apiErrorOf('stackGivenIdTaken')
  expect(await client.ask('POST', '/stacks', { data: { projectId, givenId, name: 'N' } })).toMatchObject(taken)
  expect(await client.ask('PATCH', path, { data: { givenId } })).toMatchObject(taken)
  const updatedAt = expect.any(String)
  expect(await client.done('PATCH', path, { data: { name: 'New' } })).toEqual({ ...second, name: 'New', updatedAt })
  expect(await client.ask('PATCH', path, { data: { projectId } })).toMatchObject(apiErrorOf('requestInvalid'))
  expect(await client.ask('PATCH', '/stacks/stk_x', { data: {} })).toMatchObject(apiErrorOf('stackNotFound'))
})

test('a workspace has a unique name in its stack', async () => {
  const [stack, other] = [await create(), await create()]
  const workspace = await addWorkspace(stack.id, 'shop-production')
  expect(workspace).toEqual({
    id: expect.stringMatching(/^wsp_/),
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    organizationId: made.organizationId,
    stackId: stack.id,
    name: 'shop-production',
  })
  const again = { data: { stackId: stack.id, name: 'shop-production' } }
  expect(await client.ask('POST', '/stack-workspaces', again)).toMatchObject(apiErrorOf('stackWorkspaceNameTaken'))
  await addWorkspace(other.id, 'shop-production')
  expect(await client.done('GET', `/stack-workspaces?stackId=${stack.id}`)).toEqual([workspace])
  expect(await client.done('GET', `/stack-workspaces/${workspace.id}`)).toEqual(workspace)
})

test('a workspace requires a stack and a plain name', async () => {
  const { id: stackId } = await create()
  const ask = (data: object) => client.ask('POST', '/stack-workspaces', { data })
  expect(await ask({ stackId: 'stk_nobody', name: 'a' })).toMatchObject(apiErrorOf('referenceNotFound'))
  for (const name of ['', '../a', 'a b', '-a', 'x'.repeat(201)]) {
    expect(await ask({ stackId, name })).toMatchObject(apiErrorOf('requestInvalid'))
  }
})

test('a stack with a workspace cannot be deleted', async () => {
  const { id } = await create()
  const workspace = await addWorkspace(id, 'production')
  expect(await client.ask('DELETE', `/stacks/${id}`)).toMatchObject({
    ...apiErrorOf('stackInUse'),
    body: { details: [{ items: [`workspace ${workspace.id}`] }] },
  })
  const path = `/stack-workspaces/${workspace.id}`
  expect(await client.ask('DELETE', path)).toMatchObject({ status: 204, body: undefined })
  expect(await client.ask('DELETE', path)).toMatchObject(apiErrorOf('stackWorkspaceNotFound'))
  expect(await client.ask('DELETE', `/stacks/${id}`)).toMatchObject({ status: 204, body: undefined })
  expect(await client.ask('DELETE', `/stacks/${id}`)).toMatchObject(apiErrorOf('stackNotFound'))
})

test('a stack with existing resources cannot be deleted', async () => {
  const { stacks: stackId = '', 'iac-resources': resourceId = '', 'stack-workspaces': workspaceId } = made.byPath
  await client.ask('DELETE', `/stack-workspaces/${workspaceId}`)
  const set = (isInCurrentState: boolean) =>
    world.db.update(iacResources).set({ isInCurrentState }).where(eq(iacResources.id, resourceId))
  await set(true)
  expect(await client.ask('DELETE', `/stacks/${stackId}`)).toMatchObject({
    ...apiErrorOf('stackInUse'),
    body: { details: [{ items: [`resource ${resourceId}`] }] },
  })
  await set(false)
  expect(await client.ask('DELETE', `/stacks/${stackId}`)).toMatchObject({ status: 204 })
})
