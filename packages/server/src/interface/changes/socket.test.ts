import { once } from 'node:events'
import type { Change, ChangeMessage } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { untilPasses } from '../../../../../testing/until-passes.ts'
import { apiKeys } from '../../identity/organizations/tables.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { newId } from '../../platform/ids.ts'
import { projects } from '../../projects/projects/tables.ts'
import { Client } from '../../testing/client.ts'
import { seedOrganization, startHttpWorld } from '../../testing/http-world.ts'
import { addMember } from '../../testing/members.ts'
import { cookieOf, visitor } from '../../testing/visitor.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
beforeAll(async () => {
  world = await startHttpWorld(undefined, { registration: 'open', mosts: { keyStreams: 3 } })
})
afterAll(() => world?.[Symbol.asyncDispose]())

type Wishes = { headers?: Record<string, string>; lastEventId?: string; url?: string; path?: string }

function open({ headers = {}, lastEventId, url = world.url, path = '/changes' }: Wishes): WebSocket {
  const query = lastEventId === undefined ? '' : `?lastEventId=${lastEventId}`
  return new WebSocket(`${url.replace('http', 'ws')}${path}${query}`, { headers })
}

/** Follows changes over a WebSocket; `next` waits for the next message with changes. */
async function follow(key: string, wishes: Wishes = {}) {
  const socket = open({ ...wishes, headers: { authorization: `Bearer ${key}` } })
  const told: ChangeMessage[] = []
  let hasMore = Promise.withResolvers<void>()
  let lastId = ''
  const ended = once(socket, 'close').then(([code]) => {
    hasMore.resolve()
    return code as number
  })
  socket.on('message', (data) => {
    const message = JSON.parse(String(data)) as ChangeMessage
    lastId = message.id
    if (message.reset || message.changes) told.push(message)
    hasMore.resolve()
  })
  await once(socket, 'open')
  async function next(): Promise<ChangeMessage | undefined> {
    while (told.length === 0 && socket.readyState === socket.OPEN) {
      await hasMore.promise
      hasMore = Promise.withResolvers()
    }
    return told.shift()
  }
  return { socket, next, ended, lastId: () => lastId, tell: (message: unknown) => socket.send(JSON.stringify(message)) }
}

/** Returns the status of the response to a WebSocket request. */
async function refusedWith(wishes: Wishes): Promise<number> {
  const socket = open(wishes)
  socket.on('error', () => {})
  const [, response] = await once(socket, 'unexpected-response')
  socket.terminate()
  return response.statusCode
}

const project = async (organizationId: string) => {
  const id = newId('prj')
  await world.db.insert(projects).values({ id, organizationId, name: 'A', givenId: id })
  return id
}
const idsIn = (message: ChangeMessage | undefined) => message?.changes?.map(({ id }: Change) => id)

/** Returns the changes up to the first one of this record. */
async function nextOf(next: () => Promise<ChangeMessage | undefined>, id: string): Promise<string[]> {
  const seen: string[] = []
  while (!seen.includes(id)) {
    const message = await next()
    if (!message) throw new Error('the WebSocket ended')
    seen.push(...(idsIn(message) ?? []))
  }
  return seen
}

test('it starts with a reset, and sends changes of the own organization', async () => {
  const [mine, theirs] = [await seedOrganization(world.db), await seedOrganization(world.db)]
  const { next, socket } = await follow(mine.key)
  expect(await next()).toMatchObject({ reset: true })
  const strange = await project(theirs.organizationId)
  const own = await project(mine.organizationId)
  expect(await nextOf(next, own)).not.toContain(strange)
  socket.close()
})

test('a subscriber receives only the requested changes', async () => {
  const { organizationId, key } = await seedOrganization(world.db)
  const [one, other] = [await project(organizationId), await project(organizationId)]
  const { next, tell, socket } = await follow(key)
  await next()
  tell({ subscribe: { resources: ['projects'], of: [one] } })
  const pong = once(socket, 'pong') // the server handles earlier messages before it answers a ping
  socket.ping()
  await pong
  await world.db.update(projects).set({ name: 'B' }).where(eq(projects.id, other))
  await world.db.update(projects).set({ name: 'B' }).where(eq(projects.id, one))
  expect(new Set(await nextOf(next, one))).toEqual(new Set([one]))
  socket.close()
})

test('a client that reconnects continues after the last message', async () => {
  const { organizationId, key } = await seedOrganization(world.db)
  const first = await follow(key)
  await first.next()
  const lastEventId = first.lastId()
  first.socket.close()
  await first.ended
  const missed = await project(organizationId)
  const { next, socket } = await follow(key, { lastEventId })
  expect(idsIn(await next())).toContain(missed)
  socket.close()
})

test.each(['no json', '{"subscribe":{"resources":["users"]}}'])(
  'it closes after an invalid subscription: %s',
  async (text) => {
    const { key } = await seedOrganization(world.db)
    const { socket, ended } = await follow(key)
    socket.send(text)
    expect(await ended).toBe(4003)
  },
)

test('it closes after a message that is too large, and after too many', async () => {
  const { key } = await seedOrganization(world.db)
  const large = await follow(key)
  large.socket.send('x'.repeat(20_000))
  expect(await large.ended).toBe(1009)
  const many = await follow(key)
  for (let sent = 0; sent < 50; sent++) many.tell({ subscribe: {} })
  expect(await many.ended).toBe(4000)
})

test('it closes within seconds when its key is revoked', async () => {
  const { key, keyId } = await seedOrganization(world.db)
  const { next, ended } = await follow(key)
  await next()
  await world.db.delete(apiKeys).where(eq(apiKeys.id, keyId))
  expect(await ended).toBe(4001)
})

test('it closes within seconds when the member leaves', async () => {
  const { organizationId, key } = await seedOrganization(world.db)
  const token = await addMember(world.db, organizationId, 'DEVELOPER')
  const { next, ended } = await follow(token)
  await next()
  const members = await new Client(world.url, key).done<{ id: string; role: string }[]>('GET', '/memberships')
  const member = members.find(({ role }) => role === 'DEVELOPER')
  await new Client(world.url, key).ask('DELETE', `/memberships/${member?.id}`)
  expect(await ended).toBe(4001)
  expect(await refusedWith({ headers: { authorization: `Bearer ${token}` } })).toBe(401)
})

test('records that a member cannot see are not sent', async () => {
  const { organizationId, key } = await seedOrganization(world.db)
  const hidden = await project(organizationId)
  await new Client(world.url, key).done('PATCH', `/projects/${hidden}`, { data: { visibility: 'MEMBERS' } })
  const { next, socket } = await follow(await addMember(world.db, organizationId, 'VIEWER'))
  await next()
  await world.db.update(projects).set({ name: 'B' }).where(eq(projects.id, hidden))
  const shown = await project(organizationId)
  expect(await nextOf(next, shown)).not.toContain(hidden)
  socket.close()
})

test('a server that stops closes it', async () => {
  const own = await startHttpWorld()
  const { key } = await seedOrganization(own.db)
  const { next, ended } = await follow(key, { url: own.url })
  await next()
  const stopped = own[Symbol.asyncDispose]()
  expect(await ended).toBe(1001)
  await stopped
})

test('unauthenticated clients are rejected, and cookies are accepted only from our own pages', async () => {
  expect(await refusedWith({})).toBe(401)
  expect(await refusedWith({ headers: { authorization: 'Bearer slc_none' } })).toBe(401)
  await visitor(world).register('ada@example.com')
  const { headers } = await visitor(world).login('ada@example.com')
  const cookie = cookieOf(headers)
  expect(await refusedWith({ headers: { cookie } })).toBe(403)
  expect(await refusedWith({ headers: { cookie, origin: 'https://evil.example' } })).toBe(403)
  const socket = open({ headers: { cookie, origin: world.url } })
  await once(socket, 'open')
  socket.close()
})

test('it counts as an open stream of its key', async () => {
  const { key } = await seedOrganization(world.db)
  const three = [await follow(key), await follow(key), await follow(key)]
  const headers = { authorization: `Bearer ${key}` }
  expect(await refusedWith({ headers })).toBe(429)
  for (const { socket, ended } of three) {
    socket.close()
    await ended
  }
  await untilPasses(async () => expect(await follow(key).then(({ socket }) => socket.close())).toBeUndefined())
})

test('other paths respond as without a WebSocket request', async () => {
  const { key } = await seedOrganization(world.db)
  expect(await refusedWith({ path: '/auth/whoami', headers: { authorization: `Bearer ${key}` } })).toBe(200)
})
