import { randomBytes } from 'node:crypto'
import { apiErrors } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pipelineStepExecutions } from '../../pipelines/pipelines/tables.ts'
import { systemClock } from '../../platform/clock.ts'
import { newId } from '../../platform/ids.ts'
import { usedBytes } from '../../platform/limits/stored.ts'
import { stacks, stackWorkspaces } from '../../stacks/stacks/tables.ts'
import { startHttpWorld } from '../../testing/http-world.ts'
import { createOneOfEverything, type OneOfEverything } from '../../testing/resources.ts'

const most = 100_000
let world: Awaited<ReturnType<typeof startHttpWorld>>
let made: OneOfEverything
beforeAll(async () => {
  // Rate limit buckets are not refilled, so that slow machines allow no more requests than fast ones.
  const rateClock = { ...systemClock, monotonicMs: () => 0 }
  world = await startHttpWorld(undefined, { mosts: { storedStateBytes: most, keyRequests: 20 }, rateClock })
  made = await createOneOfEverything(world.db)
})
afterAll(() => world?.[Symbol.asyncDispose]())

/** Simulates a program of a step that uses the token for its workspace's state. */
async function program() {
  const { organizationId } = made
  const [stackId, workspaceId, id] = [newId('stk'), newId('wsp'), newId('step')]
  const projectId = made.byPath.projects ?? ''
  await world.db.insert(stacks).values({ id: stackId, organizationId, projectId, givenId: stackId, name: 'N' })
  await world.db.insert(stackWorkspaces).values({ id: workspaceId, organizationId, stackId, name: 'default' })
  const pipelineRunId = made.byPath['pipeline-runs'] ?? ''
  const place = { id, organizationId, pipelineRunId, stepId: id, stepName: 'apply', stepType: 'iac:apply' }
  const stand = { status: 'IN_PROGRESS', queueReason: 'READY', queueMetadata: {}, attemptEpoch: 1 } as const
  await world.db.insert(pipelineStepExecutions).values({ ...place, ...stand, engineWorkflowId: id })
  const token = world.stateTokens.issue({ workspaceId, stepExecutionId: id, attemptEpoch: 1 }, new Date())
  const authorization = `Basic ${Buffer.from(`sluice:${token}`).toString('base64')}`
  return async (method: string, path = '', body?: string) => {
    const response = await fetch(`${world.url}/iac-states/${workspaceId}${path}`, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      ...(body !== undefined && { body }),
    })
    return { status: response.status, text: await response.text() }
  }
}

/** Returns an incompressible state of about this size. */
const state = (serial: number, bytes: number) =>
  JSON.stringify({
    version: 4,
    serial,
    lineage: 'l',
    outputs: { a: { value: randomBytes(bytes / 2).toString('hex') } },
  })

const used = () => usedBytes(world.db, made.organizationId, 'storedStateBytes')

test('an organization cannot exceed its storage limit for states, whatever a program sends', async () => {
  const before = await used()
  const ask = await program()
  for (let serial = 1; serial <= 12; serial += 1) {
    const { status, text } = await ask('POST', '', state(serial, 40_000))
    if (status !== 200)
      expect({ status, text }).toMatchObject({ status: 413, text: expect.stringContaining('storedStateBytes') })
    expect((await used()) - before).toBeLessThanOrEqual(2 * most)
  }
  const tooLarge = await ask('POST', '', state(20, 10 * most))
  expect(tooLarge).toMatchObject({
    status: 413,
    text: expect.stringContaining('The limit storedStateBytes is reached'),
  })
  expect((await ask('POST', '', state(21, 100))).status, 'a state of what is destroyed').toBe(200)
})

test('a lock cannot hold megabytes of data', async () => {
  const ask = await program()
  expect((await ask('POST', '/lock', JSON.stringify({ ID: 'x'.repeat(100_000) }))).status).toBe(413)
})

test('a program is subject to the request limit of a key', async () => {
  const ask = await program()
  const statuses = new Set<number>()
  for (let count = 0; count < 400 && !statuses.has(429); count += 1) statuses.add((await ask('GET')).status)
  expect([...statuses]).toContain(apiErrors.rateLimited.status)
}, 60_000)
