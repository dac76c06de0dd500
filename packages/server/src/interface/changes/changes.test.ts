import type { Change } from '@sluice/contract'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { apiKeys } from '../../identity/organizations/tables.ts'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { eq, sql } from '../../platform/db/drizzle.ts'
import { newId } from '../../platform/ids.ts'
import { projects } from '../../projects/projects/tables.ts'
import { Client } from '../../testing/client.ts'
import { seedInstances, seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { addMember } from '../../testing/members.ts'
import { idOf } from './position.ts'
import { currentPosition, deleteOldChanges } from './store.ts'
import { changes } from './tables.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
beforeAll(async () => {
  world = await startHttpWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

type Event = { id?: string; event?: string; changes?: Change[] }

/** Returns a key that distinguishes a change of a record from later ones. */
const keyOf = ({ recordId, changedAt }: { recordId: string; changedAt: Date }) =>
  `${recordId} ${changedAt.toISOString()}`

type Wishes = { lastEventId?: string; inQuery?: string; url?: string }

/** Follows the changes that an API key can see; `next` waits for the next event with content. */
async function follow(key: string, { lastEventId, inQuery, url = world.url }: Wishes = {}) {
  // A new stream may include changes from just before its start, if another transaction on the server was open.
  const goesOn = lastEventId !== undefined || inQuery !== undefined
  const before = new Set(goesOn ? [] : (await world.db.select().from(changes)).map(keyOf))
  const response = await fetch(`${url}/changes${inQuery === undefined ? '' : `?lastEventId=${inQuery}`}`, {
    headers: { authorization: `Bearer ${key}`, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) },
    signal: AbortSignal.timeout(60_000),
  })
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  const reader = (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  let lastId: string | undefined
  async function next(): Promise<Event | undefined> {
    for (;;) {
      const at = rest.indexOf('\n\n')
      if (at < 0) {
        const { value, done } = await reader.read()
        if (done) return undefined
        rest += value
        continue
      }
      const lines = rest.slice(0, at).split('\n')
      rest = rest.slice(at + 2)
      const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
      lastId = field('id') ?? lastId
      const data = field('data')
      if (data === undefined) continue // only an id, or the retry interval
      const event = field('event')
      if (event !== undefined) return { event }
      const told = (JSON.parse(data) as Change[]).filter(
        ({ id, changedAt }) => !before.has(keyOf({ recordId: id, changedAt: new Date(changedAt) })),
      )
      if (told.length > 0) return { changes: told }
    }
  }
  return { next, leave: () => reader.cancel(), lastId: () => lastId }
}

const renameProject = (id: string, name: string) => world.db.update(projects).set({ name }).where(eq(projects.id, id))
const project = async (organizationId: string) => {
  const id = newId('prj')
  await world.db.insert(projects).values({ id, organizationId, name: 'A', givenId: id })
  return id
}
const idsIn = (event: Event | undefined) => event?.changes?.map(({ id }) => id)

test('a stream starts with a reset, and sends created, changed and deleted records with their parents', async () => {
  const { organizationId, key } = await seedOrganization(world.db)
  const [id = ''] = await seedInstances(world.db, organizationId, 1)
  const { next, leave } = await follow(key)
  expect(await next()).toEqual({ event: 'reset' })
  const [instance] = await world.db.select().from(moduleInstances).where(eq(moduleInstances.id, id))
  const one = {
    resource: 'module-instances',
    id,
    belongsTo: {
      projectId: instance?.projectId,
      environmentId: instance?.environmentId,
      moduleDefinitionId: instance?.moduleDefinitionId,
    },
    changedAt: expect.stringMatching(/Z$/),
  }
  await world.db.update(moduleInstances).set({ name: 'B' }).where(eq(moduleInstances.id, id))
  expect(await next()).toEqual({ changes: [one] })
  await world.db.delete(moduleInstances).where(eq(moduleInstances.id, id))
  expect(await next()).toEqual({ changes: [one] })
  const made = await project(organizationId)
  expect(idsIn(await next())).toEqual([made])
  await leave()
})

test('an organization receives only its own changes', async () => {
  const [mine, theirs] = [await seedOrganization(world.db), await seedOrganization(world.db)]
  const { next, leave } = await follow(mine.key)
  await next()
  await project(theirs.organizationId)
  const own = await project(mine.organizationId)
  expect(idsIn(await next())).toEqual([own])
  await leave()
})

test('a member receives only visible changes, and a reset when the visible records change', async () => {
  const { organizationId, key: ownerKey } = await seedOrganization(world.db)
  const [id = ''] = await seedInstances(world.db, organizationId, 1)
  const [instance] = await world.db.select().from(moduleInstances).where(eq(moduleInstances.id, id))
  const projectId = instance?.projectId ?? ''
  const owner = new Client(world.url, ownerKey)
  const { next, leave } = await follow(await addMember(world.db, organizationId, 'DEVELOPER'))
  expect(await next()).toEqual({ event: 'reset' })
  await owner.done('PATCH', `/projects/${projectId}`, { data: { visibility: 'MEMBERS' } })
  let event = await next()
  while (event?.event !== 'reset') event = await next() // the project itself, sent while it was still visible
  await world.db.update(moduleInstances).set({ name: 'B' }).where(eq(moduleInstances.id, id))
  await world.db.delete(moduleInstances).where(eq(moduleInstances.id, id))
  const other = await project(organizationId)
  expect(idsIn(await next())).toEqual([other])
  await owner.done('PATCH', `/projects/${projectId}`, { data: { visibility: 'ORGANIZATION' } })
  event = await next()
  while (event?.event !== 'reset') event = await next()
  await leave()
})

test('a client that reconnects receives the changes in between', async () => {
  const { organizationId, key } = await seedOrganization(world.db)
  const before = await follow(key)
  await before.next()
  const first = await project(organizationId)
  expect(idsIn(await before.next())).toEqual([first])
  await before.leave()
  const missed = await project(organizationId)
  const after = await follow(key, { lastEventId: before.lastId() ?? '' })
  const told = idsIn(await after.next())
  expect(told).toContain(missed)
  await after.leave()
})

test('a client that cannot send a header continues from the query parameter, and a header takes precedence', async () => {
  const { organizationId, key } = await seedOrganization(world.db)
  const began = idOf(await currentPosition(world.db))
  const missed = await project(organizationId)
  const after = await follow(key, { inQuery: began })
  expect(idsIn(await after.next())).toContain(missed)
  await after.leave()
  const back = await follow(key, { inQuery: began, lastEventId: 'nonsense' })
  expect(await back.next()).toEqual({ event: 'reset' })
  await back.leave()
})

test('changes of a long transaction are sent when it ends', async ({ skip }) => {
  skip(process.env.TEST_DATABASE_URL === undefined, 'skipped: PostgreSQL (the embedded database has one connection)')
  const { organizationId, key } = await seedOrganization(world.db)
  const [slow, quick] = [await project(organizationId), await project(organizationId)]
  const { next, leave } = await follow(key)
  await next()
  const mayEnd = Promise.withResolvers<void>()
  const hasBegun = Promise.withResolvers<void>()
  onTestFinished(() => mayEnd.resolve()) // also after a failure, so that no request waits for the transaction
  const long = world.db.transaction(async (tx) => {
    await tx.update(projects).set({ name: 'slow' }).where(eq(projects.id, slow))
    hasBegun.resolve()
    await mayEnd.promise
  })
  await hasBegun.promise
  await renameProject(quick, 'quick')
  // Once, although its transaction is read again until the long one has ended.
  expect(idsIn(await next())).toEqual([quick])
  mayEnd.resolve()
  await long
  expect(idsIn(await next())).toEqual([slow])
  await leave()
})

test(
  'an unknown or expired position results in a reset',
  everyCase(['', 'nonsense', '1.1', '999999999999999999.1', `1.${Date.now() + 3_600_000}`], async (lastEventId) => {
    const { key } = await seedOrganization(world.db)
    const { next, leave } = await follow(key, { lastEventId })
    expect(await next()).toEqual({ event: 'reset' })
    await leave()
  }),
)

test('a thousand concurrent changes are sent as a reset', async () => {
  const { organizationId, key } = await seedOrganization(world.db)
  const { next, leave } = await follow(key)
  await next()
  const rows = Array.from({ length: 1_001 }, () => newId('prj')).map((id) => ({ id, name: 'A', givenId: id }))
  await world.db.insert(projects).values(rows.map((row) => ({ ...row, organizationId })))
  expect(await next()).toEqual({ event: 'reset' })
  await leave()
})

test('a stream ends when its key is revoked', async () => {
  const { key, keyId } = await seedOrganization(world.db)
  const { next } = await follow(key)
  await next()
  await world.db.delete(apiKeys).where(eq(apiKeys.id, keyId))
  expect(await next()).toBeUndefined()
})

test('a server that stops ends its streams', async () => {
  const own = await startHttpWorld()
  const { key } = await seedOrganization(own.db)
  const { next } = await follow(key, { url: own.url })
  await next()
  const stopped = own[Symbol.asyncDispose]()
  expect(await next()).toBeUndefined()
  await stopped
})

test('changes are retained for ten minutes', async () => {
  const { organizationId } = await seedOrganization(world.db)
  const [old, young] = [await project(organizationId), await project(organizationId)]
  const age = sql`now() - interval '11 minutes'`
  await world.db.update(changes).set({ changedAt: age }).where(eq(changes.recordId, old))
  await deleteOldChanges(world.db, new Date())
  const kept = await world.db.select().from(changes).where(eq(changes.organizationId, organizationId))
  expect(kept.map(({ recordId }) => recordId)).toEqual([young])
})
