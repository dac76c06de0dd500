import { permissionsOf, type RoleGrant, routes } from '@sluice/contract'
import { recordChange } from '../../identity/audit-events/record.ts'
import { shareLockMember } from '../../identity/teams/members.ts'
import { shareLockTeam } from '../../identity/teams/store.ts'
import { type Access, permissionsOn, permissionsSomewhere, type Scope } from '../../platform/auth/access.ts'
import type { Caller } from '../../platform/auth/caller.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle, handleGet, handleList } from '../../platform/http/handle.ts'
import { missing, referenceNotFound } from '../../platform/http/references.ts'
import { present } from '../../platform/present.ts'
import { findEnvironment, lockEnvironmentShared } from '../environments/store.ts'
import { findProject, lockProjectShared } from '../projects/store.ts'
import { findRoleGrant, type Grantee, insertRoleGrant, listRoleGrants, removeRoleGrant } from './store.ts'
import type { RoleGrantRow } from './tables.ts'

const resourceType = 'role-grant'

export function serveRoleGrants(app: App): void {
  handle(app, routes.createRoleGrant, ({ body: { data }, caller, db, request, afterwards }) =>
    db.transaction(async (tx) => {
      const { organizationId } = caller
      const { principalId, projectId, environmentId, role } = data
      const grantee = await lockGrantee(tx, organizationId, principalId)
      if (!grantee) throw referenceNotFound('principalId', 'membership, service account or team', principalId)
      if (!(await lockProjectShared(tx, organizationId, projectId))) {
        throw referenceNotFound('projectId', 'project', projectId)
      }
      if (environmentId !== undefined) await lockEnvironmentOf(tx, organizationId, projectId, environmentId)
      const grant = await insertRoleGrant(tx, { organizationId, projectId, environmentId, role, ...grantee })
      if (!grant) throw new ApiError('roleGrantTaken', `${principalId} already has the role ${role} there.`)
      const change = { action: 'role-grants.create', resourceType, resourceId: grant.id, of: grant, details: data }
      await recordChange(tx, { caller, request }, change)
      afterwards(() => app.callers.forget())
      return { data: serialize(grant) }
    }),
  )

  handleList(app, routes.listRoleGrants, listRoleGrants, serialize)
  handleGet(app, routes.getRoleGrant, { find: findRoleGrant, notFound, toWire: serialize })

  handle(app, routes.deleteRoleGrant, async ({ params, caller, db, request }) => {
    await db.transaction(async (tx) => {
      const grant = await removeRoleGrant(tx, caller.organizationId, params.id)
      if (!grant) throw notFound(params.id)
      const { principalId, role, projectId, environmentId } = serialize(grant)
      const details = present({ principalId, role, projectId, environmentId })
      await recordChange(
        tx,
        { caller, request },
        { action: 'role-grants.delete', resourceType, resourceId: grant.id, of: grant, details },
      )
    })
    app.callers.forget()
  })

  handle(app, routes.getPermissions, async ({ query, caller, db }) => {
    const { organizationId, access } = caller
    const scopes = await scopesNamed(app, { query, caller, db })
    if (scopes) return { data: { organizationId, ...commonPermissions(access, scopes) } }
    const place = await placeNamed(db, organizationId, query)
    if (place) return { data: { organizationId, ...place, permissions: [...permissionsOn(access, place)] } }
    const permissions = [...permissionsOf[caller.role]]
    return { data: { organizationId, restricted: false, permissions, inAnyScope: [...permissionsSomewhere(access)] } }
  })
}

async function lockGrantee(tx: Db, organizationId: string, id: string): Promise<Grantee | undefined> {
  const team = await shareLockTeam(tx, organizationId, id)
  return team ? { teamId: id } : shareLockMember(tx, organizationId, id)
}

async function lockEnvironmentOf(tx: Db, organizationId: string, projectId: string, id: string): Promise<void> {
  const environment = await lockEnvironmentShared(tx, organizationId, id)
  if (environment?.projectId !== projectId) throw referenceNotFound('environmentId', 'environment of the project', id)
}

type Asked = { pipelineRunId?: string; stepExecutionId?: string }

/** Returns the scopes of the run or step that a query names, if any. */
async function scopesNamed(
  { findScopes, ofOrganization }: App,
  { query: { pipelineRunId, stepExecutionId }, caller, db }: { query: Asked; caller: Caller; db: Db },
): Promise<(Scope | 'organization')[] | undefined> {
  const { organizationId } = caller
  const [record, id] =
    stepExecutionId === undefined
      ? (['pipeline-runs', pipelineRunId] as const)
      : (['approvals', stepExecutionId] as const)
  if (id === undefined) return undefined
  const seen = await findScopes(db, organizationId, [{ record, ids: [id] }])
  if (seen.length > 0) return findScopes(ofOrganization(organizationId), organizationId, [{ record, ids: [id] }])
  if (record === 'approvals') throw missing('pipelineStepExecutionNotFound', 'step execution', id)
  throw missing('pipelineRunNotFound', 'pipeline run', id)
}

/** Returns the permissions that apply in every scope, and whether one of them is restricted. */
function commonPermissions(access: Access, scopes: readonly (Scope | 'organization')[]) {
  const places = scopes.filter((one) => one !== 'organization')
  const allowed = places.map((place) => permissionsOn(access, place))
  const permissions = permissionsOf.OWNER.filter((one) => allowed.every((there) => there.has(one)))
  const isRestricted = ({ projectId, environmentId = '' }: Scope) =>
    access.restricted.has(projectId) || access.restricted.has(environmentId)
  return { restricted: places.some(isRestricted), permissions }
}

/** Returns the scope that a query names, if any; an environment has its project. */
async function placeNamed(
  db: Db,
  organizationId: string,
  { projectId, environmentId }: { projectId?: string; environmentId?: string },
): Promise<{ projectId: string; environmentId?: string; restricted: boolean } | undefined> {
  if (environmentId !== undefined) {
    const environment = await findEnvironment(db, organizationId, environmentId)
    if (environment && (projectId ?? environment.projectId) === environment.projectId) {
      return { projectId: environment.projectId, environmentId, restricted: environment.restricted }
    }
    throw missing('environmentNotFound', 'environment', environmentId)
  }
  if (projectId === undefined) return undefined
  const project = await findProject(db, organizationId, projectId)
  if (project) return { projectId, restricted: project.restricted }
  throw missing('projectNotFound', 'project', projectId)
}

const notFound = (id: string) => missing('roleGrantNotFound', 'role grant', id)

const serialize = (row: RoleGrantRow): RoleGrant =>
  present({
    id: row.id,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    organizationId: row.organizationId,
    principalId: row.membershipId ?? row.serviceAccountId ?? row.teamId ?? '',
    principalType: typeOf(row),
    role: row.role,
    projectId: row.projectId,
    environmentId: row.environmentId ?? undefined,
  })

function typeOf({ membershipId, serviceAccountId }: RoleGrantRow): RoleGrant['principalType'] {
  if (membershipId !== null) return 'MEMBERSHIP'
  return serviceAccountId === null ? 'TEAM' : 'SERVICE_ACCOUNT'
}
