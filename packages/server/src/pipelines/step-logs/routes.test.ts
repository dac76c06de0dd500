import { setTimeout as sleep } from 'node:timers/promises'
import type { StepLogPage } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { apiKeys } from '../../identity/organizations/tables.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { newId } from '../../platform/ids.ts'
import { Client } from '../../testing/client.ts'
import { seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { createOneOfEverything } from '../../testing/resources.ts'
import { pipelineStepExecutions, stepLogChunks } from '../pipelines/tables.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
let owner: Awaited<ReturnType<typeof seedOrganization>>
let client: Client
let pipelineRunId: string
beforeAll(async () => {
  world = await startHttpWorld()
  owner = await seedOrganization(world.db)
  const made = await createOneOfEverything(world.db, owner)
  pipelineRunId = made.byPath['pipeline-runs'] ?? ''
  client = new Client(world.url, owner.key)
})
afterAll(() => world?.[Symbol.asyncDispose]())

/** Inserts an active step with this many chunks. */
async function step(pieces: number): Promise<string> {
  const id = newId('step')
  const { organizationId } = owner
  const named = { stepId: id, stepName: 'Build', stepType: 'command', engineWorkflowId: id }
  const state = { status: 'IN_PROGRESS', queueReason: 'READY', queueMetadata: {}, attemptEpoch: 1 } as const
  await world.db.insert(pipelineStepExecutions).values({ id, organizationId, pipelineRunId, ...named, ...state })
  for (let sequence = 1; sequence <= pieces; sequence += 1) await write(id, sequence)
  return id
}
const write = (stepExecutionId: string, sequence: number) =>
  world.db.insert(stepLogChunks).values({
    organizationId: owner.organizationId,
    stepExecutionId,
    sequence,
    attemptEpoch: 1,
    writtenAt: new Date(),
    text: `piece ${sequence}\n`,
  })
const end = (id: string) =>
  world.db.update(pipelineStepExecutions).set({ status: 'SUCCESS' }).where(eq(pipelineStepExecutions.id, id))

const page = async (id: string, query = '') =>
  (await client.ask('GET', `/pipeline-step-executions/${id}/logs${query}`)).body as StepLogPage
const sequences = ({ data }: StepLogPage) => data.map(({ sequence }) => sequence)

/** Follows a log; `next` waits for the next event, and returns undefined at the end of the stream. */
async function follow(id: string, { query = '', key = owner.key, headers = {} } = {}) {
  const response = await fetch(`${world.url}/pipeline-step-executions/${id}/logs/stream${query}`, {
    headers: { authorization: `Bearer ${key}`, ...headers },
    signal: AbortSignal.timeout(20_000),
  })
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  const reader = (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  async function next(): Promise<{ id?: string; event?: string; data?: { text?: string } } | undefined> {
    for (;;) {
      const at = rest.indexOf('\n\n')
      if (at >= 0) {
        const fields = rest.slice(0, at).split('\n')
        rest = rest.slice(at + 2)
        const field = (name: string) => fields.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
        const data = field('data')
        if (data === undefined) continue // a comment
        return JSON.parse(JSON.stringify({ id: field('id'), event: field('event'), data: JSON.parse(data) }))
      }
      const { value, done } = await reader.read()
      if (done) return undefined
      rest += value
    }
  }
  return { next, leave: () => reader.cancel() }
}

test('a log is read page by page, and its last cursor returns later output', async () => {
  const id = await step(5)
  const first = await page(id, '?limit=3')
  expect(first).toMatchObject({
    data: [{ sequence: 1, attempt: 1, text: 'piece 1\n', writtenAt: expect.stringMatching(/Z$/) }, {}, {}],
    meta: { limit: 3, nextCursor: '3', isComplete: false },
  })
  const second = await page(id, '?limit=3&cursor=3')
  expect([sequences(second), second.meta]).toEqual([[4, 5], { limit: 3, nextCursor: '5', isComplete: false }])
  expect(await page(id, '?cursor=5')).toEqual({ data: [], meta: { limit: 20, nextCursor: '5', isComplete: false } })
  await write(id, 6)
  await end(id)
  const last = await page(id, '?cursor=5')
  expect([sequences(last), last.meta.isComplete]).toEqual([[6], true])
  expect(await page(id, '?limit=3')).toMatchObject({ meta: { isComplete: false } })
})

test('a stream sends existing chunks, new ones, and the end', async () => {
  const id = await step(2)
  const { next } = await follow(id)
  expect(await next()).toMatchObject({ id: '1', data: { sequence: 1, attempt: 1, text: 'piece 1\n' } })
  expect(await next()).toMatchObject({ id: '2' })
  await write(id, 3) // as another process would, without a notification
  expect(await next()).toMatchObject({ id: '3', data: { text: 'piece 3\n' } })
  await write(id, 4)
  await end(id)
  expect(await next()).toMatchObject({ id: '4' })
  expect(await next()).toEqual({ event: 'end', data: {} })
  expect(await next()).toBeUndefined()
})

test.each([
  ['Last-Event-ID', { headers: { 'last-event-id': '2' } }],
  ['a cursor', { query: '?cursor=2' }],
])('a stream continues after %s', async (_what, from) => {
  const id = await step(3)
  await end(id)
  const { next } = await follow(id, from)
  expect(await next()).toMatchObject({ id: '3' })
  expect(await next()).toMatchObject({ event: 'end' })
})

test('a stream ends when its key is revoked, and sends nothing more', async () => {
  const id = await step(1)
  const { organizationId, membershipId } = owner
  const other = await seedOrganization(world.db)
  await world.db.update(apiKeys).set({ organizationId, membershipId }).where(eq(apiKeys.id, other.keyId))
  const { next } = await follow(id, { key: other.key })
  expect(await next()).toMatchObject({ id: '1' })
  await world.db.delete(apiKeys).where(eq(apiKeys.id, other.keyId))
  expect(await next()).toBeUndefined()
})

test('the log of another organization is not found', async () => {
  const id = await step(1)
  const stranger = new Client(world.url, (await seedOrganization(world.db)).key)
  for (const path of ['logs', 'logs/stream']) {
    expect(await stranger.ask('GET', `/pipeline-step-executions/${id}/${path}`)).toMatchObject({ status: 404 })
  }
})

test(
  'an invalid cursor is rejected',
  everyCase(['x', '-1', '1.5', '0000000001', ''], async (cursor) => {
    const id = await step(0)
    const { status } = await client.ask('GET', `/pipeline-step-executions/${id}/logs?cursor=${cursor}`)
    expect(status).toBe(400)
  }),
)

test('a server that stops ends its streams', async () => {
  const own = await startHttpWorld()
  const seeded = await seedOrganization(own.db)
  const made = await createOneOfEverything(own.db, seeded)
  const id = newId('step')
  const named = { stepId: id, stepName: 'Build', stepType: 'command', engineWorkflowId: id }
  const state = { status: 'IN_PROGRESS', queueReason: 'READY', queueMetadata: {} } as const
  await own.db.insert(pipelineStepExecutions).values({
    id,
    organizationId: seeded.organizationId,
    pipelineRunId: made.byPath['pipeline-runs'] ?? '',
    ...named,
    ...state,
  })
  const headers = { authorization: `Bearer ${seeded.key}` }
  const response = await fetch(`${own.url}/pipeline-step-executions/${id}/logs/stream`, { headers })
  const read = response.text()
  const stopped = own[Symbol.asyncDispose]()
  expect(await Promise.race([stopped.then(() => 'stopped'), sleep(30_000, 'still there')])).toBe('stopped')
  expect(await read).not.toContain('event: end')
})
