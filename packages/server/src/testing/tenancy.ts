import {
  apiErrors,
  grantedPermissionsOf,
  isRepeatable,
  permissionsOf,
  type Role,
  type Route,
  roles,
  routes,
} from '@sluice/contract'
import { beforeAll, expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { asJson } from '../interface/openapi/json-schema.ts'
import { Client } from './client.ts'
import { addMember, addServiceAccount } from './members.ts'
import { bodyFor, missing, naming, nothing, referencesOf, target } from './requests.ts'
import { createOneOfEverything, type OneOfEverything, referredBy, resourceOf } from './resources.ts'
import { sharedWorld, type World } from './world.ts'

const guarded = (Object.values(routes) as Route[]).filter(({ permission }) => permission !== 'anyone')
const onOne = guarded.filter(({ path }) => path.includes('{'))
const lists = guarded.filter(({ response: [, schema] }) => 'meta' in (asJson(schema).properties ?? {}))
/** All request body fields that refer to a record. */
const references = guarded.flatMap((route) =>
  referencesOf(asJson(route.body ?? nothing)).map((field) => ({ route, field })),
)

let world: World
let mine: OneOfEverything
let theirs: OneOfEverything
let client: Client

const nameOf = ({ method, path }: Route) => `${method} ${path}`
const everyRoute = (cases: Route[], check: (route: Route) => Promise<void>) => everyCase(cases, check, { name: nameOf })

type Reference = (typeof references)[number]
const everyReference = (cases: Reference[], check: (reference: Reference) => Promise<void>) =>
  everyCase(cases, check, { name: ({ route, field }) => `${nameOf(route)}, ${field}` })

/** Starts a test environment with two organizations that have one record of every type. */
export function useTwoOrganizations(): void {
  beforeAll(async () => {
    world = await sharedWorld()
    mine = await createOneOfEverything(world.db)
    theirs = await createOneOfEverything(world.db)
    client = new Client(world.url, await addMember(world.db, mine.organizationId, 'OWNER'))
  })
}

/** Defines tests of the isolation between organizations on all routes. */
export function describeOrganizationIsolation(): void {
  test(
    'a record of another organization is not found, on any route',
    everyRoute(onOne, async (route) => {
      const answer = await client.ask(route.method, target(route, theirs), bodyFor(route, mine))
      expect(answer.status, JSON.stringify(answer.body)).toBe(404)
      expect(answer.body).not.toMatchObject({ code: apiErrors.routeNotFound.code })
    }),
  )

  test(
    'a record of the own organization is found, on every route',
    everyRoute(
      onOne.filter(({ method }) => method === 'GET'),
      async (route) => {
        const { status, body } = await client.ask(route.method, target(route, mine))
        if (status === apiErrors.gitHostNotConfigured.status)
          expect(body).toMatchObject({ code: apiErrors.gitHostNotConfigured.code })
        else expect([200, 503]).toContain(status)
      },
    ),
  )

  test(
    'no list contains records of another organization',
    everyRoute(lists, async (route) => {
      const strangers = Object.values(theirs.byPath)
      for (const query of ['', ...referencesOf(asJson(route.query ?? nothing)).map((name) => queryFor(name))]) {
        const { body } = await client.ask(route.method, `${route.path}?limit=100${query}`)
        const data = JSON.stringify((body as { data?: unknown }).data ?? [])
        expect(strangers.filter((id) => data.includes(id))).toEqual([])
      }
    }),
  )

  test(
    'no field accepts a reference to a record of another organization',
    everyReference(references, async ({ route, field }) => {
      const body = bodyFor(route, mine)
      const stranger = referredBy(theirs, field)
      if (stranger === undefined) throw new Error(missing(field))
      body.data[field] = naming(field, stranger)
      const { status, body: answer } = await client.ask(route.method, target(route, mine), body)
      expect([403, 404, 422], JSON.stringify(answer)).toContain(status)
      expect(JSON.stringify(answer)).toContain(stranger) // the error names the foreign record
    }),
  )
}

/** Resources without a project; all others are hidden with theirs. */
const ofOrganization = [
  'api-keys',
  'approval-delegations',
  'audit-events',
  'certificates',
  'cloud-accounts',
  'code-source',
  'code-sources',
  'default-value-definitions',
  'execution-environments',
  'githosta-installations',
  'githostb-connections',
  'githostb-instances',
  'identity-providers',
  'invitations',
  'memberships',
  'module-definitions',
  'module-versions',
  'organizations',
  'runner-tokens',
  'runners',
  'service-account-trusts',
  'service-accounts',
  'sessions',
  'sign-in',
  'sign-in-domains',
  'team-members',
  'teams',
]
/** Permissions that viewers lack. */
const forAdmins: readonly string[] = ['iac-states:read', 'notification-channels:read']
const isInProject = (resource: string) => !ofOrganization.includes(resource)
const resourceOfPath = ({ path }: Route) => /([\w-]+)\/\{/.exec(path)?.[1] ?? ''

/** Defines tests of hidden projects for members without a role there, on all routes. */
export function describeHidden(): void {
  let hidden: OneOfEverything
  let outsider: Client
  let insider: Client
  const memberWith = async (role: 'VIEWER' | 'ADMIN', on: OneOfEverything) => {
    const member = new Client(world.url, await addMember(world.db, mine.organizationId, 'DEVELOPER'))
    const { membershipId: principalId } = await member.done<{ membershipId: string }>('GET', '/auth/whoami')
    const projectId = on.byPath.projects
    await client.done('POST', '/role-grants', { data: { principalId, role, projectId } })
    return member
  }
  beforeAll(async () => {
    hidden = await createOneOfEverything(world.db, mine)
    const path = `/projects/${hidden.byPath.projects}`
    await client.done('PATCH', path, { data: { visibility: 'MEMBERS' } })
    outsider = await memberWith('ADMIN', mine)
    insider = await memberWith('VIEWER', hidden)
  })
  const mayAsk = ({ permission, on }: Route) => {
    const permissions: readonly string[] = on ? grantedPermissionsOf.ADMIN : permissionsOf.DEVELOPER
    return permission === 'caller' || permissions.includes(permission)
  }
  const inProjects = onOne.filter((route) => isInProject(resourceOfPath(route)))

  test(
    'a record of a hidden project is not found by other members, on any route',
    everyRoute(inProjects, async (route) => {
      const answer = await outsider.ask(route.method, target(route, hidden), bodyFor(route, mine))
      expect(answer.status, JSON.stringify(answer.body)).toBe(mayAsk(route) ? 404 : 403)
      expect(answer.body).not.toMatchObject({ code: apiErrors.routeNotFound.code })
    }),
  )

  test(
    'a record of a hidden project is found by a member with a role on the project, on every route',
    everyRoute(
      inProjects.filter(({ method, permission }) => method === 'GET' && !forAdmins.includes(permission)),
      async (route) => {
        const { status, body } = await insider.ask(route.method, target(route, hidden))
        expect([200, 503], JSON.stringify(body)).toContain(status)
      },
    ),
  )

  test(
    'no list contains or counts records of a hidden project',
    everyRoute(lists, async (route) => {
      const inside = Object.entries(hidden.byPath).flatMap(([resource, id]) => (isInProject(resource) ? [id] : []))
      const filters = referencesOf(asJson(route.query ?? nothing)).map(
        (name) => `&${name}=${referredBy(hidden, name) ?? ''}`,
      )
      for (const query of ['', ...filters.filter((filter) => !filter.endsWith('='))]) {
        const { status, body } = await outsider.ask(route.method, `${route.path}?limit=100${query}`)
        if (status === 403) return expect(mayAsk(route)).toBe(false)
        const { data = [], meta } = body as { data?: unknown[]; meta?: { totalCount?: number } }
        expect(inside.filter((id) => JSON.stringify(data).includes(id))).toEqual([])
        if (meta?.totalCount !== undefined) expect(meta.totalCount).toBe(data.length)
      }
    }),
  )

  test(
    'no field accepts a reference to a record of a hidden project',
    everyReference(
      references.filter(({ route, field }) => mayAsk(route) && isInProject(resourceOf(field))),
      async ({ route, field }) => {
        const body = bodyFor(route, mine)
        const unseen = referredBy(hidden, field)
        if (unseen === undefined) throw new Error(missing(field))
        body.data[field] = naming(field, unseen)
        const { status, body: answer } = await outsider.ask(route.method, target(route, mine), body)
        expect([404, 422], JSON.stringify(answer)).toContain(status)
        expect(JSON.stringify(answer)).toContain(unseen)
      },
    ),
  )
}

/** Counts of the operations that the tests cover. New operations are included automatically. */
export const tenantMatrix = {
  operations: guarded.length,
  ofOneRecord: onOne.length,
  lists: lists.length,
  references: references.length,
  /** Calls as an owner and a reader of another organization, without credentials, and in each role. */
  calls: 2 * onOne.length + lists.length + references.length + (1 + roles.length) * guarded.length,
}

/** Defines tests of the permissions of each role on all routes. */
export function describeRights(): void {
  const clients = new Map<Role, Client>()
  beforeAll(async () => {
    for (const role of roles) {
      clients.set(role, new Client(world.url, await addMember(world.db, mine.organizationId, role)))
    }
  })

  test(
    'a caller without credentials is rejected on every route',
    everyRoute(guarded, async (route) => {
      const { status } = await new Client(world.url, '').ask(route.method, target(route, mine))
      expect(status).toBe(401)
    }),
  )

  test('a read-only service account changes nothing and sees nothing of another organization, on any route', async () => {
    const narrow = new Client(world.url, await addServiceAccount(world.db, mine.organizationId, 'VIEWER'))
    const permissions: readonly string[] = permissionsOf.VIEWER
    await everyRoute(onOne, async (route) => {
      const isAllowed = route.permission === 'caller' || permissions.includes(route.permission)
      const { status, body } = await narrow.ask(route.method, target(route, theirs), bodyFor(route, mine))
      expect(status, JSON.stringify(body)).toBe(isAllowed ? 404 : 403)
    })()
  })

  test.each(roles)('the role %s allows exactly its permissions, on every route', (role) =>
    everyRoute(guarded, async (route) => {
      const permissions: readonly string[] = permissionsOf[role]
      const isAllowed = route.permission === 'caller' || permissions.includes(route.permission)
      // The record does not exist and the body is empty: permissions are checked first, and nothing changes.
      const path = route.path.replaceAll(/\{\w+\}/g, 'nobody')
      const answer = await clients.get(role)?.ask(route.method, path, route.body ? null : undefined)
      const { code } = (answer?.body ?? {}) as { code?: string }
      expect(code === apiErrors.forbidden.code, JSON.stringify(answer?.body)).toBe(!isAllowed)
      expect(answer?.status).toBeLessThan(isAllowed ? 504 : 404)
      expect(answer?.status).not.toBe(401)
      expect(code).not.toBe(apiErrors.routeNotFound.code)
    })(),
  )
}

/** Defines a test of idempotency keys on all routes that create records. */
export function describeRepetition(): void {
  test(
    'a repeated request with the same idempotency key is executed once, on every route that creates',
    everyRoute(guarded.filter(isRepeatable), async (route) => {
      const request = { json: JSON.stringify(bodyFor(route, mine)), headers: { 'idempotency-key': route.operationId } }
      const first = await client.send(route.method, target(route, mine), request)
      const second = await client.send(route.method, target(route, mine), request)
      expect(second.status).toBe(first.status)
      const isDone = first.status < 300
      expect(second.headers.get('idempotency-replayed')).toBe(isDone ? 'true' : null)
      if (isDone) expect(second.body).toEqual(first.body)
    }),
  )
}

function queryFor(field: string): string {
  const value = referredBy(theirs, field) ?? ''
  return value === '' ? '' : `&${field}=${value}`
}
