import {
  apiErrors,
  type GrantedRole,
  grantedPermissionsOf,
  grantedRoles,
  type Permission,
  permissionsOf,
  type Route,
  routes,
} from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { newId } from '../../platform/ids.ts'
import { environments, projects } from '../../projects/projects/tables.ts'
import { roleGrants } from '../../projects/role-grants/tables.ts'
import { Client } from '../../testing/client.ts'
import { startHttpWorld } from '../../testing/http-world.ts'
import { addMember } from '../../testing/members.ts'
import { bodyFor, nothing, referencesOf, target } from '../../testing/requests.ts'
import { createOneOfEverything, type OneOfEverything, resourceOf } from '../../testing/resources.ts'
import { asJson } from '../openapi/json-schema.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>
beforeAll(async () => {
  world = await startHttpWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

const operationOf = ({ operationId }: Route) => operationId
const all: Route[] = Object.values(routes)
const scoped = all.filter(({ on }) => on !== undefined)

/** Collections of records in a project, by their part of the path. */
const inProjects = [
  'projects',
  'environments',
  'module-instances',
  'deployments',
  'pipelines',
  'pipeline-versions',
  'pipeline-runs',
  'pipeline-step-executions',
  'stacks',
  'stack-workspaces',
  'iac-state-versions',
  'default-values',
  'domains',
  'approval-rules',
  'promotion-rules',
  'preview-templates',
  'preview-environments',
  'watched-repositories',
  'policies',
]

/** Operations on projects that require a role in the organization, with the reason. */
const ofOrganization: Partial<Record<keyof typeof routes, string>> = {
  createProject: 'there is no project yet',
  createRoleGrant: 'owners give roles',
  createWatchedRepository: 'files act for a service account, as its keys do',
  updateWatchedRepository: 'the same',
  createNotificationChannel: 'it leads out of the organization; the project only says what it is told of',
  updateNotificationChannel: 'the same',
}

const referred = (route: Route): string[] => {
  const inPath = [...route.path.matchAll(/^\/([\w-]+)/g)].map(([, resource = '']) => resource)
  return [...inPath, ...referencesOf(asJson(route.body ?? nothing)).map(resourceOf)]
}

const isOnlyReading = ({ permission }: Route) =>
  permission === 'anyone' || permission === 'caller' || permissionsOf.VIEWER.some((one) => one === permission)

const changing = all.filter(
  (route) => !isOnlyReading(route) && referred(route).some((resource) => inProjects.includes(resource)),
)

test(
  'every operation that changes a project names the project',
  everyCase(
    changing,
    (route) => {
      if (route.operationId in ofOrganization) return expect(route.on).toBeUndefined()
      const { params = {}, body = {} } = route.on ?? {}
      const named = [...Object.keys(params), ...Object.keys(body)]
      expect(named).not.toEqual([])
      // All fields of the body that refer to a record of a project count.
      const references = referencesOf(asJson(route.body ?? nothing)).filter((field) =>
        ['projectId', 'environmentId', 'moduleInstanceId', 'pipelineId', 'stackId', 'ids'].includes(field),
      )
      expect(Object.keys(body)).toEqual(expect.arrayContaining(references))
      if (route.path.includes('{id}')) expect(params).toHaveProperty('id')
    },
    { name: operationOf },
  ),
)

const idOf = ({ byPath }: OneOfEverything, resource: string): string => byPath[resource] ?? ''

async function memberWith(
  { organizationId }: OneOfEverything,
  role: 'VIEWER' | 'DEVELOPER',
): Promise<{ client: Client; membershipId: string }> {
  const client = new Client(world.url, await addMember(world.db, organizationId, role))
  const { membershipId } = await client.done<{ membershipId: string }>('GET', '/auth/whoami')
  return { client, membershipId }
}

/** Sends a request for a record of the project, with every field that determines its scope. */
function ask(client: Client, route: Route, everything: OneOfEverything) {
  const body = bodyFor(route, everything)
  for (const [field, record] of Object.entries(route.on?.body ?? {})) {
    const id = everything.byPath[record]
    if (id !== undefined) body.data[field] = Array.isArray(body.data[field]) ? [id] : id
  }
  return client.ask(route.method, target(route, everything), body)
}

/** Creates one record of everything in a restricted project and environment. */
async function createRestricted(): Promise<OneOfEverything> {
  const everything = await createOneOfEverything(world.db)
  const restricted = { restricted: true }
  await world.db
    .update(projects)
    .set(restricted)
    .where(eq(projects.id, idOf(everything, 'projects')))
  await world.db
    .update(environments)
    .set(restricted)
    .where(eq(environments.id, idOf(everything, 'environments')))
  return everything
}

/** Returns a viewer of the organization who has the role on the project and on its environment. */
async function memberWithRole(everything: OneOfEverything, role: GrantedRole): Promise<Client> {
  const { organizationId } = everything
  const membershipId = newId('mem')
  const client = new Client(world.url, await addMember(world.db, organizationId, 'VIEWER', membershipId))
  const given = { organizationId, membershipId, projectId: idOf(everything, 'projects'), role }
  await world.db.insert(roleGrants).values([
    { id: newId('grt'), ...given },
    { id: newId('grt'), ...given, environmentId: idOf(everything, 'environments') },
  ])
  return client
}

const isForbidden = ({ body }: { body: unknown }) =>
  (body as { code?: string } | undefined)?.code === apiErrors.forbidden.code

const allows = (role: GrantedRole, { permission }: Route) =>
  (grantedPermissionsOf[role] as readonly Permission[]).some((one) => one === permission)

// The value of createOneOfEverything belongs to the organization by default.
const isOfOrganization = ({ operationId }: Route) => operationId === 'createDefaultValue'

test('a role on the project and its environment allows exactly its permissions, on every operation', async () => {
  const shared = await createRestricted()
  const members: Partial<Record<GrantedRole, Client>> = {}
  for (const role of grantedRoles) members[role] = await memberWithRole(shared, role)

  const check = everyCase(
    scoped,
    async (route) => {
      // An allowed change gets records of its own, so that other operations find theirs unchanged.
      const isChanging = route.method !== 'GET' && grantedRoles.some((role) => allows(role, route))
      const own = isChanging ? await createRestricted() : shared
      for (const role of grantedRoles) {
        const isAllowed = allows(role, route)
        const records = isAllowed ? own : shared
        const client = records === shared ? (members[role] as Client) : await memberWithRole(records, role)
        const { status, body } = await ask(client, route, records)
        const isDenied = isForbidden({ body })
        expect([role, isDenied, body]).toEqual([role, !isAllowed || isOfOrganization(route), body])
        expect(status).not.toBe(500)
      }
    },
    { name: operationOf },
  )
  await check()
})

test('a restricted project and environment allow nothing without a role, on every operation', async () => {
  const everything = await createRestricted()
  const { client } = await memberWith(everything, 'DEVELOPER')
  const check = everyCase(
    scoped,
    async (route) => {
      const answer = await ask(client, route, everything)
      expect(answer).toMatchObject({ status: 403, body: { code: apiErrors.forbidden.code } })
    },
    { name: operationOf },
  )
  await check()
})

test('a user deploys in one environment, approves in another, and can do nothing in production', async () => {
  const everything = await createOneOfEverything(world.db)
  const { client, membershipId } = await memberWith(everything, 'DEVELOPER')
  const owner = new Client(world.url, await addMember(world.db, everything.organizationId, 'OWNER'))
  const projectId = idOf(everything, 'projects')
  const production = idOf(everything, 'environments')
  const may = async (query: string) => {
    const { permissions } = await client.done<{ permissions: string[] }>('GET', `/permissions?${query}`)
    return ['deployments:write', 'approvals:write'].map((one) => permissions.includes(one))
  }
  const staging = await owner.done<{ id: string }>('POST', '/environments', {
    data: { projectId, givenId: 'staging', name: 'Staging' },
  })
  expect(await may(`environmentId=${production}`)).toEqual([true, true])

  await owner.done('PATCH', `/environments/${production}`, { data: { restricted: true } })
  expect(await may(`environmentId=${production}`)).toEqual([false, false])
  expect(await may(`environmentId=${staging.id}`)).toEqual([true, true])

  const given = { principalId: membershipId, projectId, environmentId: production }
  const { id } = await owner.done<{ id: string }>('POST', '/role-grants', { data: { ...given, role: 'APPROVER' } })
  expect(await may(`environmentId=${production}`)).toEqual([false, true])
  await owner.ask('DELETE', `/role-grants/${id}`)
  expect(await may(`environmentId=${production}`)).toEqual([false, false])
})
