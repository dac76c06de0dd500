import { hash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { auditEvents } from '../../identity/audit-events/tables.ts'
import { pipelineStepExecutions } from '../../pipelines/pipelines/tables.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { newId } from '../../platform/ids.ts'
import { releaseLocks } from '../../stacks/iac-states/locks.ts'
import { iacStateVersions } from '../../stacks/iac-states/tables.ts'
import { stacks, stackWorkspaces } from '../../stacks/stacks/tables.ts'
import { apiErrorOf } from '../../testing/api-errors.ts'
import { Client } from '../../testing/client.ts'
import { startHttpWorld } from '../../testing/http-world.ts'
import { addMember } from '../../testing/members.ts'
import { createOneOfEverything, type OneOfEverything } from '../../testing/resources.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
let made: OneOfEverything
let admin: Client
beforeAll(async () => {
  world = await startHttpWorld()
  made = await createOneOfEverything(world.db)
  admin = new Client(world.url, await addMember(world.db, made.organizationId, 'ADMIN'))
})
afterAll(() => world?.[Symbol.asyncDispose]())

const state = (serial: number, { lineage = 'l', resources = 1, version = 4 } = {}) =>
  JSON.stringify({
    version,
    serial,
    lineage,
    outputs: {},
    resources: Array.from({ length: resources }, (_, index) => ({
      mode: 'managed',
      type: 'thing',
      name: `n${index}`,
      instances: [{ attributes: { large: '@' } }],
    })),
  }).replaceAll('"@"', '12345678901234567890') // a number that JSON.parse would round

async function workspace(): Promise<string> {
  const [stackId, id] = [newId('stk'), newId('wsp')]
  const { organizationId } = made
  const projectId = made.byPath.projects ?? ''
  await world.db.insert(stacks).values({ id: stackId, organizationId, projectId, givenId: stackId, name: 'N' })
  await world.db.insert(stackWorkspaces).values({ id, organizationId, stackId, name: 'default' })
  return id
}

/** Creates an attempt in progress and acts as its tool. */
async function attempt(workspaceId: string, stepType = 'iac:apply') {
  const id = newId('step')
  const { organizationId } = made
  const pipelineRunId = made.byPath['pipeline-runs'] ?? ''
  const place = { id, organizationId, pipelineRunId, stepId: id, stepName: 'apply', stepType }
  const stand = { status: 'IN_PROGRESS', queueReason: 'READY', queueMetadata: {}, attemptEpoch: 1 } as const
  await world.db.insert(pipelineStepExecutions).values({ ...place, ...stand, engineWorkflowId: id })
  const tool = toolOf(workspaceId, id, 1)
  return { id, ...tool }
}

function toolOf(workspaceId: string, stepExecutionId: string, attemptEpoch: number, now = new Date()) {
  const token = world.stateTokens.issue({ workspaceId, stepExecutionId, attemptEpoch }, now)
  return {
    token,
    async ask(method: string, path = '', body?: string, headers: Record<string, string> = {}, of = workspaceId) {
      const authorization = `Basic ${Buffer.from(`sluice:${token}`).toString('base64')}`
      const response = await fetch(`${world.url}/iac-states/${of}${path}`, {
        method,
        headers: { authorization, 'content-type': 'application/json', ...headers },
        ...(body !== undefined && { body }),
      })
      return { status: response.status, text: await response.text() }
    },
  }
}

const lock = (id: string) => JSON.stringify({ ID: id, Operation: 'OperationTypeApply', Who: 'root@somewhere' })

test('a state is returned byte by byte and is encrypted in the database', async () => {
  const id = await workspace()
  const tool = await attempt(id)
  expect(await tool.ask('GET')).toEqual({ status: 204, text: '' })
  expect((await tool.ask('POST', '/lock', lock('a'))).status).toBe(200)
  const sum = { 'content-md5': hash('md5', state(1), 'base64') }
  expect((await tool.ask('POST', '?ID=a', state(1), sum)).status).toBe(200)
  expect((await tool.ask('POST', '?ID=a', state(1), sum)).status, 'a request whose answer was lost').toBe(200)
  expect((await tool.ask('POST', '?ID=a', state(2), sum)).status, 'another sum').toBe(400)
  expect((await tool.ask('POST', '?ID=a', '{"version":3}')).status).toBe(400)
  expect(await tool.ask('GET')).toEqual({ status: 200, text: state(1) })
  const [row, ...more] = await world.db.select().from(iacStateVersions).where(eq(iacStateVersions.workspaceId, id))
  expect(more).toEqual([])
  expect(row).toMatchObject({ sequence: 1, serial: 1, lineage: 'l', resourceCount: 1, stepExecutionId: tool.id })
  expect(row?.sealed).not.toContain('thing')
})

test('a step that only plans can read the state but not write it, because it passed no release gates', async () => {
  const id = await workspace()
  const apply = await attempt(id)
  expect((await apply.ask('POST', '/lock', lock('a'))).status).toBe(200)
  expect((await apply.ask('POST', '?ID=a', state(1))).status).toBe(200)
  await apply.ask('DELETE', '/lock', lock('a'))
  for (const stepType of ['iac:plan', 'iac:drift']) {
    const tool = await attempt(id, stepType)
    expect((await tool.ask('POST', '/lock', lock('b'))).status).toBe(200)
    expect((await tool.ask('GET')).text).toBe(state(1))
    expect((await tool.ask('POST', '?ID=b', state(2))).status, stepType).toBe(403)
    await tool.ask('DELETE', '/lock', lock('b'))
  }
  expect((await apply.ask('GET')).text).toBe(state(1))
})

test('an older state or one of another lineage does not replace the latest', async () => {
  const id = await workspace()
  const tool = await attempt(id)
  await tool.ask('POST', '/lock', lock('a'))
  expect((await tool.ask('POST', '?ID=a', state(5))).status).toBe(200)
  for (const wrong of [state(5, { resources: 2 }), state(4), state(6, { lineage: 'other' })]) {
    expect((await tool.ask('POST', '?ID=a', wrong)).status).toBe(409)
  }
  expect((await tool.ask('POST', '?ID=a', state(9))).status).toBe(200)
  expect((await tool.ask('GET')).text).toBe(state(9))
})

test('one attempt at a time holds the lock, and the error names the holder', async () => {
  const id = await workspace()
  const [first, second] = [await attempt(id), await attempt(id)]
  expect((await first.ask('POST', '/lock', lock('a'))).status).toBe(200)
  expect((await first.ask('POST', '/lock', lock('a'))).status, 'again').toBe(200)
  const refused = await second.ask('POST', '/lock', lock('b'))
  expect(refused.status).toBe(423)
  expect(JSON.parse(refused.text)).toMatchObject({ ID: 'a', Who: expect.stringContaining('step apply of run') })
  expect((await second.ask('POST', '?ID=b', state(1))).status).toBe(409)
  expect((await second.ask('POST', '', state(1))).status).toBe(409)
  expect((await second.ask('DELETE', '/lock', lock('b'))).status, 'not its own').toBe(200)
  expect((await second.ask('POST', '/lock', lock('b'))).status).toBe(423)
  expect((await first.ask('DELETE', '/lock', lock('a'))).status).toBe(200)
  expect((await second.ask('POST', '/lock', lock('b'))).status).toBe(200)
})

test('a lock ends with its step, released or not', async () => {
  const id = await workspace()
  const [first, second, third] = [await attempt(id), await attempt(id), await attempt(id)]
  await first.ask('POST', '/lock', lock('a'))
  await releaseLocks(world.db, made.organizationId, first.id)
  expect((await second.ask('POST', '/lock', lock('b'))).status).toBe(200)
  // A lock left by a step that has ended.
  await world.db.update(pipelineStepExecutions).set({ status: 'ERROR' }).where(eq(pipelineStepExecutions.id, second.id))
  expect((await third.ask('POST', '/lock', lock('c'))).status).toBe(200)
})

test('a token gives access to one workspace while its attempt is in progress', async () => {
  const [id, other] = [await workspace(), await workspace()]
  const tool = await attempt(id)
  expect((await tool.ask('GET')).status).toBe(204)
  expect((await tool.ask('GET', '', undefined, {}, other)).status).toBe(401)
  expect((await toolOf(id, tool.id, 2).ask('GET')).status, 'another attempt').toBe(401)
  expect((await toolOf(id, 'step_nobody', 1).ask('GET')).status).toBe(401)
  expect((await toolOf(id, tool.id, 1, new Date('2020-01-01')).ask('GET')).status, 'too old').toBe(401)
  const forged = `Basic ${Buffer.from(`sluice:${tool.token.slice(0, -4)}AAAA`).toString('base64')}`
  expect((await tool.ask('GET', '', undefined, { authorization: forged })).status).toBe(401)
  expect((await tool.ask('GET', '', undefined, { authorization: 'Bearer x' })).status).toBe(401)
  expect((await tool.ask('PUT', '', '{}')).status).toBe(405)
  await world.db.update(pipelineStepExecutions).set({ status: 'SUCCESS' }).where(eq(pipelineStepExecutions.id, tool.id))
  expect((await tool.ask('GET')).status, 'over').toBe(401)
  // The token gives no access to a foreign workspace, even with a valid signature.
  const stranger = (await createOneOfEverything(world.db)).byPath['stack-workspaces'] ?? ''
  const running = await attempt(id)
  expect((await toolOf(stranger, running.id, 1).ask('GET')).status).toBe(401)
})

test('an admin lists every version, downloads one and restores it', async () => {
  const id = await workspace()
  const tool = await attempt(id)
  await tool.ask('POST', '/lock', lock('a'))
  await tool.ask('POST', '?ID=a', state(1))
  await tool.ask('POST', '?ID=a', state(2, { resources: 0 }))
  type Version = { id: string; sequence: number; serial: number; createdBy: string }
  const list = () => admin.done<Version[]>('GET', `/stack-workspaces/${id}/states`)
  const [, first] = await list()
  expect((await list()).map(({ sequence }) => sequence)).toEqual([2, 1])
  const key = { headers: { authorization: `Bearer ${await addMember(world.db, made.organizationId, 'ADMIN')}` } }
  const download = await fetch(`${world.url}/iac-state-versions/${first?.id}/download`, key)
  expect(await download.text()).toBe(state(1))
  const restore = () => admin.ask('POST', `/iac-state-versions/${first?.id}/restore`)
  expect(await restore()).toMatchObject(apiErrorOf('stackWorkspaceLocked'))
  await tool.ask('DELETE', '/lock', lock('a'))
  expect(await restore()).toMatchObject({ status: 201, body: { data: { sequence: 3, serial: 3, resourceCount: 1 } } })
  expect(await list()).toHaveLength(3)
  const restored = JSON.parse((await tool.ask('GET')).text)
  expect(restored).toEqual({ ...JSON.parse(state(1)), serial: 3 })
  const actions = await world.db
    .select({ action: auditEvents.action })
    .from(auditEvents)
    .where(eq(auditEvents.resourceId, first?.id ?? ''))
  expect(actions.map(({ action }) => action).toSorted()).toEqual(['iac-states.download', 'iac-states.restore'])
})

test('an admin breaks a lock, and later writes of its holder are rejected', async () => {
  const id = await workspace()
  const tool = await attempt(id)
  const shown = () => admin.done<{ lock?: object }>('GET', `/stack-workspaces/${id}`)
  expect(await admin.ask('DELETE', `/stack-workspaces/${id}/lock`)).toMatchObject(apiErrorOf('stackWorkspaceNotLocked'))
  await tool.ask('POST', '/lock', lock('secret-id'))
  expect((await shown()).lock).toEqual({
    operation: 'apply',
    heldBy: expect.stringContaining('step apply'),
    since: expect.any(String),
    stepExecutionId: tool.id,
  })
  expect(await admin.ask('DELETE', `/stack-workspaces/${id}`)).toMatchObject(apiErrorOf('stackWorkspaceInUse'))
  expect((await admin.ask('DELETE', `/stack-workspaces/${id}/lock`)).status).toBe(204)
  expect((await shown()).lock).toBeUndefined()
  expect((await tool.ask('POST', '?ID=secret-id', state(1))).status).toBe(409)
})

test('a workspace whose state has resources cannot be deleted', async () => {
  const id = await workspace()
  const tool = await attempt(id)
  await tool.ask('POST', '', state(1))
  expect(await admin.ask('DELETE', `/stack-workspaces/${id}`)).toMatchObject(apiErrorOf('stackWorkspaceInUse'))
  await tool.ask('POST', '', state(2, { resources: 0 }))
  expect((await admin.ask('DELETE', `/stack-workspaces/${id}`)).status).toBe(204)
})
