import type { ActsOn, Permission, Route, ScopedRecord } from '@sluice/contract'
import { hasUniformPermissions, permissionsOn, type Scope, sees } from '../auth/access.ts'
import { type Caller, mayDo } from '../auth/caller.ts'
import type { Db } from '../db/open.ts'
import { ApiError } from './api-error.ts'
import type { App } from './app.ts'
import type { Input } from './input.ts'

/** Ids of records that a request names, with their record type. */
export type NamedRecords = { record: ScopedRecord; ids: string[] }

/** Returns the scopes of records; `organization` for records outside of projects. Skips records that do not exist. */
export type FindScopes = (
  db: Db,
  organizationId: string,
  named: readonly NamedRecords[],
) => Promise<(Scope | 'organization')[]>

/** Returns the display name of a scope and the owners, who can grant roles in it. */
export type DescribeScope = (
  db: Db,
  organizationId: string,
  place: Scope,
) => Promise<{ name: string; owners: string[] }>

/**
 * Rejects a request if the caller lacks the permission in one of its scopes. `guard` has only checked that the caller
 * has it in some scope. Records that do not exist are left to the handler, which returns the specific error.
 */
export async function requirePermission(
  { findScopes, ofOrganization, tellPlace }: Pick<App, 'findScopes' | 'ofOrganization' | 'tellPlace'>,
  { permission: needs, on }: { permission: Route['permission']; on?: ActsOn | undefined },
  { input, caller, db }: { input: Input; caller: Caller; db: Db },
): Promise<void> {
  if (!on || needs === 'anyone' || needs === 'caller' || hasUniformPermissions(caller.access)) return
  const named = recordsNamed(on, input)
  const { organizationId, access } = caller
  const ofAll = access.hidden.size === 0 ? db : ofOrganization(organizationId)
  const places =
    named.length === 0
      ? ['organization' as const]
      : await findScopes(ofAll, organizationId, await withoutHidden(findScopes, { named, caller, db }))
  for (const place of places) {
    const isAllowed = place === 'organization' ? mayDo(caller, needs) : permissionsOn(access, place).has(needs)
    if (isAllowed) continue
    if (place === 'organization') throw forbiddenInOrganization(needs)
    if (!sees(access, place)) throw forbiddenUnseen(needs)
    throw forbiddenIn(place, needs, await tellPlace(db, organizationId, place))
  }
}

/**
 * Checks an additional permission in the scopes of a request, for options that need more than the route does, such as a
 * skip.
 */
export async function requireAdditionalPermission(
  app: Parameters<typeof requirePermission>[0],
  { on }: { on?: ActsOn },
  permission: Permission,
  asked: Parameters<typeof requirePermission>[2],
): Promise<void> {
  const { caller } = asked
  if (hasUniformPermissions(caller.access) && !mayDo(caller, permission)) throw forbiddenInOrganization(permission)
  await requirePermission(app, { permission, on }, asked)
}

/**
 * Removes records that are hidden from the caller; the handler reports them as not found. A visible record counts with
 * all its scopes, even hidden ones, because an operation on it can take effect there.
 */
async function withoutHidden(
  findScopes: FindScopes,
  { named, caller: { organizationId, access }, db }: { named: readonly NamedRecords[]; caller: Caller; db: Db },
): Promise<NamedRecords[]> {
  if (access.hidden.size === 0) return [...named]
  const seen = named.map(async ({ record, ids }) => {
    const places = await Promise.all(ids.map((id) => findScopes(db, organizationId, [{ record, ids: [id] }])))
    return { record, ids: ids.filter((_, index) => places[index]?.length !== 0) }
  })
  return Promise.all(seen)
}

function recordsNamed({ params = {}, body = {} }: ActsOn, input: Input): NamedRecords[] {
  const data = fieldOf(input.body, 'data')
  return [
    ...Object.entries(params).map(([field, record]) => ({ record, ids: idsIn(fieldOf(input.params, field)) })),
    ...Object.entries(body).map(([field, record]) => ({ record, ids: idsIn(fieldOf(data, field)) })),
  ].filter(({ ids }) => ids.length > 0)
}

const fieldOf = (holder: unknown, field: string): unknown =>
  typeof holder === 'object' && holder !== null ? Reflect.get(holder, field) : undefined

const idsIn = (value: unknown): string[] => [value].flat().filter((one) => typeof one === 'string')

const forbiddenInOrganization = (permission: Permission) =>
  new ApiError('forbidden', `Your role in the organization lacks the permission ${permission}.`)

const forbiddenUnseen = (permission: Permission) =>
  new ApiError(
    'forbidden',
    `The change affects a scope that you cannot see and in which you lack the permission ${permission}.`,
    {
      description: 'An owner or an admin of the organization can do it, or a user with a role there.',
    },
  )

function forbiddenIn(
  { projectId, environmentId }: Scope,
  permission: Permission,
  { name, owners }: Awaited<ReturnType<DescribeScope>>,
): ApiError {
  return new ApiError('forbidden', `Your roles lack the permission ${permission} in the ${name}.`, {
    description: `An owner can give you a role there: ${owners.join(', ')}. GET /permissions lists your permissions.`,
    metadata: { permission, projectId, ...(environmentId !== undefined && { environmentId }) },
  })
}
