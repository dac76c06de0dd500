import { isRepeatable, permissionsOf, type Role, type Route, refusals, roles, routes } from '@sluice/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asJson } from '../interface/openapi/json-schema.ts'
import { Client } from './client.ts'
import { addMember } from './members.ts'
import { bodyFor, missing, nothing, referencesOf, target } from './requests.ts'
import { createOneOfEverything, type OneOfEverything, referredBy } from './resources.ts'
import { startWorld, type World } from './world.ts'

const guarded = (Object.values(routes) as Route[]).filter(({ needs }) => needs !== 'anyone')
const onOne = guarded.filter(({ path }) => path.includes('{'))
const lists = guarded.filter(({ reply: [, schema] }) => 'meta' in (asJson(schema).properties ?? {}))
const withBody = guarded.filter(({ body }) => body && referencesOf(asJson(body)).length > 0)

let world: World
let mine: OneOfEverything
let theirs: OneOfEverything
let client: Client

/** Starts a world with two organizations that have one of everything, for the tests of a file. */
export function useTwoOrganizations(): void {
  beforeAll(async () => {
    world = await startWorld()
    mine = await createOneOfEverything(world.db)
    theirs = await createOneOfEverything(world.db)
    client = new Client(world.url, await addMember(world.db, mine.organizationId, 'OWNER'))
  })
  afterAll(() => world?.[Symbol.asyncDispose]())
}

/** What keeps organizations apart, on every route there is. */
export function describeWalls(): void {
  test.each(onOne)('$method $path of another organization is not there', async (route) => {
    const answer = await client.ask(route.method, target(route, theirs), bodyFor(route, mine))
    expect(answer.status, JSON.stringify(answer.body)).toBe(404)
    expect(answer.body).not.toMatchObject({ code: refusals.routeNotFound.code })
  })

  test.each(onOne.filter(({ method }) => method === 'GET'))('$method $path of ones own is there', async (route) => {
    const { status } = await client.ask(route.method, target(route, mine))
    expect([200, 503]).toContain(status)
  })

  test.each(lists)('$method $path shows nothing of another organization', async (route) => {
    const strangers = Object.values(theirs.byPath)
    for (const query of ['', ...referencesOf(asJson(route.query ?? nothing)).map((name) => queryFor(name))]) {
      const { body } = await client.ask(route.method, `${route.path}?limit=100${query}`)
      expect(strangers.filter((id) => JSON.stringify((body as { data?: unknown }).data ?? []).includes(id))).toEqual([])
    }
  })

  describe.each(withBody)('$method $path', (route) => {
    test.each(referencesOf(asJson(route.body ?? nothing)))('takes no %s of another organization', async (field) => {
      const body = bodyFor(route, mine)
      const stranger = referredBy(theirs, field)
      if (stranger === undefined) throw new Error(missing(field))
      body.data[field] = stranger
      const { status, body: answer } = await client.ask(route.method, target(route, mine), body)
      expect([403, 404, 422], JSON.stringify(answer)).toContain(status)
      expect(JSON.stringify(answer)).toContain(stranger) // and for no other reason
    })
  })
}

/** Who may do what, on every route there is. */
export function describeRights(): void {
  const clients = new Map<Role, Client>()
  beforeAll(async () => {
    for (const role of roles) {
      clients.set(role, new Client(world.url, await addMember(world.db, mine.organizationId, role)))
    }
  })

  test.each(guarded)('$method $path is not for strangers', async (route) => {
    const { status } = await new Client(world.url, '').ask(route.method, target(route, mine))
    expect(status).toBe(401)
  })

  test('a key that nobody has makes a stranger', async () => {
    const { status } = await new Client(world.url, `slc_${'0'.repeat(43)}`).ask('GET', '/auth/whoami')
    expect(status).toBe(401)
  })

  describe.each(roles)('%s', (role) => {
    test.each(guarded)('$method $path, which needs $needs', async (route) => {
      const permissions: readonly string[] = permissionsOf[role]
      const isAllowed = route.needs === 'caller' || permissions.includes(route.needs)
      // Of a record that is not there, and with a body that is none: rights are checked first, and nothing changes.
      const path = route.path.replaceAll(/\{\w+\}/g, 'nobody')
      const answer = await clients.get(role)?.ask(route.method, path, route.body ? null : undefined)
      const { code } = (answer?.body ?? {}) as { code?: string }
      expect(code === refusals.forbidden.code, JSON.stringify(answer?.body)).toBe(!isAllowed)
      expect(answer?.status).toBeLessThan(isAllowed ? 504 : 404)
      expect(answer?.status).not.toBe(401)
      expect(code).not.toBe(refusals.routeNotFound.code)
    })
  })
}

/** That a request may be repeated under its key, on every route that creates. */
export function describeRepetition(): void {
  test.each(guarded.filter(isRepeatable))('$method $path is done once under its key', async (route) => {
    const request = { json: JSON.stringify(bodyFor(route, mine)), headers: { 'idempotency-key': route.operationId } }
    const first = await client.send(route.method, target(route, mine), request)
    const second = await client.send(route.method, target(route, mine), request)
    expect(second.status).toBe(first.status)
    const isDone = first.status < 300
    expect(second.headers.get('idempotency-replayed')).toBe(isDone ? 'true' : null)
    if (isDone) expect(second.body).toEqual(first.body)
  })
}

function queryFor(field: string): string {
  const value = referredBy(theirs, field) ?? ''
  return value === '' ? '' : `&${field}=${value}`
}
