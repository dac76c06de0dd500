import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { everyCase } from '../../../../../testing/every-case.ts'
import { apiKeys, memberships } from '../../identity/organizations/tables.ts'
import { sessions } from '../../identity/sessions/tables.ts'
import { pipelineStepExecutions } from '../../pipelines/pipelines/tables.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { newId } from '../../platform/ids.ts'
import { projects } from '../../projects/projects/tables.ts'
import { roleGrants } from '../../projects/role-grants/tables.ts'
import { seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { createOneOfEverything } from '../../testing/resources.ts'
import { signIn } from '../../testing/session.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
beforeAll(async () => {
  world = await startHttpWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

/** User who reads a stream, with the stream and the credentials. */
type Reader = Awaited<ReturnType<typeof seedOrganization>> & {
  headers: Record<string, string>
  stepId: string
  projectId: string
}

async function newReader(by: 'key' | 'session'): Promise<Reader> {
  const owner = await seedOrganization(world.db)
  const { byPath } = await createOneOfEverything(world.db, owner)
  const stepId = newId('step')
  await world.db.insert(pipelineStepExecutions).values({
    id: stepId,
    organizationId: owner.organizationId,
    pipelineRunId: byPath['pipeline-runs'] ?? '',
    stepId,
    stepName: 'Build',
    stepType: 'command',
    engineWorkflowId: stepId,
    status: 'IN_PROGRESS',
    queueReason: 'READY',
    queueMetadata: {},
    attemptEpoch: 1,
  })
  const headers: Record<string, string> =
    by === 'key'
      ? { authorization: `Bearer ${owner.key}` }
      : { cookie: await signIn(world.db, owner), origin: world.url }
  return { ...owner, headers, stepId, projectId: byPath.projects ?? '' }
}

const events = async (path: string, { headers }: Reader) => {
  const response = await fetch(`${world.url}${path}`, { headers })
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  return { ended: text(response.body as ReadableStream<Uint8Array>) }
}

const streams: Record<string, (reader: Reader) => Promise<{ ended: Promise<unknown> }>> = {
  changes: (reader) => events('/changes', reader),
  'the log of a step': (reader) => events(`/pipeline-step-executions/${reader.stepId}/logs/stream`, reader),
  'changes by WebSocket': async ({ headers }) => {
    const socket = new WebSocket(`${world.url.replace('http', 'ws')}/changes`, { headers })
    socket.on('error', () => {})
    await once(socket, 'message')
    return { ended: once(socket, 'close') }
  },
}

/** Revokes as another process would, so that this one learns of it only from the database. */
const revocations: Record<string, { by: 'key' | 'session'; of: string[]; revoke(reader: Reader): Promise<unknown> }> = {
  'the session ended': {
    by: 'session',
    of: Object.keys(streams),
    revoke: ({ membershipId }) => world.db.delete(sessions).where(eq(sessions.membershipId, membershipId)),
  },
  'the API key was revoked': {
    by: 'key',
    of: Object.keys(streams),
    revoke: ({ keyId }) => world.db.update(apiKeys).set({ revokedAt: new Date() }).where(eq(apiKeys.id, keyId)),
  },
  'the API key was removed': {
    by: 'key',
    of: Object.keys(streams),
    revoke: ({ keyId }) => world.db.delete(apiKeys).where(eq(apiKeys.id, keyId)),
  },
  'the member was removed, by session': {
    by: 'session',
    of: Object.keys(streams),
    revoke: ({ membershipId }) => world.db.delete(memberships).where(eq(memberships.id, membershipId)),
  },
  'the member was removed, by key': {
    by: 'key',
    of: Object.keys(streams),
    revoke: ({ membershipId }) => world.db.delete(memberships).where(eq(memberships.id, membershipId)),
  },
  'the role was reduced': {
    by: 'session',
    of: ['the log of a step'], // all roles can read changes, except hidden ones
    async revoke({ membershipId, projectId }) {
      await world.db.update(projects).set({ visibility: 'MEMBERS' }).where(eq(projects.id, projectId))
      await world.db.update(memberships).set({ role: 'VIEWER' }).where(eq(memberships.id, membershipId))
    },
  },
}

/** Returns the milliseconds between a revocation and the end of a stream, or a maximum if the stream continues. */
async function msToEnd(ended: Promise<unknown> | undefined, revokedAt: number): Promise<number> {
  const tooLate = once(AbortSignal.timeout(5_000), 'abort')
  await Promise.race([ended, tooLate])
  return performance.now() - revokedAt
}

const cases = Object.entries(revocations).flatMap(([why, { of }]) =>
  of.map((stream): [string, string] => [stream, why]),
)

test(
  'a stream ends within a second',
  everyCase(cases, async (stream, why) => {
    const { by, revoke } = revocations[why] ?? { by: 'key', revoke: async () => {} }
    const reader = await newReader(by)
    const { ended } = (await streams[stream]?.(reader)) ?? {}
    await revoke(reader)
    expect(await msToEnd(ended, performance.now())).toBeLessThan(1_000)
  }),
)

test('a stream of a scope ends when the role in it is revoked', async () => {
  const reader = await newReader('key')
  const { organizationId, membershipId, projectId } = reader
  await world.db.update(projects).set({ visibility: 'MEMBERS' }).where(eq(projects.id, projectId))
  await world.db.update(memberships).set({ role: 'VIEWER' }).where(eq(memberships.id, membershipId))
  const grant = { id: newId('grt'), organizationId, membershipId, projectId, role: 'VIEWER' } as const
  await world.db.insert(roleGrants).values(grant)
  const { ended } = await events(`/pipeline-step-executions/${reader.stepId}/logs/stream`, reader)
  await world.db.delete(roleGrants).where(eq(roleGrants.id, grant.id))
  expect(await msToEnd(ended, performance.now())).toBeLessThan(1_000)
})

test('streams end within a second under load, and those of other users continue', async () => {
  const readers = await Promise.all(Array.from({ length: 20 }, () => newReader('key')))
  const opened = await Promise.all(
    readers.flatMap((reader) =>
      Object.values(streams).map(async (open) => ({
        reader,
        ...(await open(reader)),
      })),
    ),
  )
  const others = new Set(readers.slice(10))
  const stopping = new AbortController()
  const load = Array.from({ length: 8 }, async (_, at) => {
    const { headers = {} } = readers[at + 10] ?? {}
    while (!stopping.signal.aborted) await (await fetch(`${world.url}/projects`, { headers })).text()
  })
  await Promise.all(readers.slice(0, 10).map(({ keyId }) => world.db.delete(apiKeys).where(eq(apiKeys.id, keyId))))
  const revokedAt = performance.now()
  const ends = await Promise.all(
    opened.filter(({ reader }) => !others.has(reader)).map(({ ended }) => msToEnd(ended, revokedAt)),
  )
  const stillOpen = Symbol('open')
  const left = await Promise.all(
    opened.filter(({ reader }) => others.has(reader)).map(({ ended }) => Promise.race([ended, stillOpen])),
  )
  stopping.abort()
  await Promise.all(load)
  expect(Math.max(...ends)).toBeLessThan(1_000)
  expect(left.every((one) => one === stillOpen)).toBe(true)
})
