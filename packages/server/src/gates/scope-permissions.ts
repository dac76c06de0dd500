import type { Permission } from '@sluice/contract'
import { hasUniformPermissions, permissionsOn } from '../platform/auth/access.ts'
import type { Caller } from '../platform/auth/caller.ts'
import { and, eq } from '../platform/db/drizzle.ts'
import type { Db } from '../platform/db/open.ts'
import { withAllScopesVisibleForCaller } from '../platform/db/organization.ts'
import { ApiError } from '../platform/http/api-error.ts'
import { environments } from '../projects/projects/tables.ts'
import type { Scope } from './scope.ts'

/**
 * Requires the permission for an override in all affected environments. A rule of a project also affects its restricted
 * environments, in which a role on the project does not count.
 */
export async function requirePermissionInAllEnvironments(
  tx: Db,
  { organizationId, access }: Caller,
  { projectId, environmentId }: Scope,
  permission: Permission,
): Promise<void> {
  if (!projectId || environmentId || hasUniformPermissions(access)) return
  const isOfProject = and(eq(environments.organizationId, organizationId), eq(environments.projectId, projectId))
  const all = await withAllScopesVisibleForCaller(tx, access, (db) =>
    db
      .select({ environmentId: environments.id, projectId: environments.projectId })
      .from(environments)
      .where(isOfProject),
  )
  if (all.every((place) => permissionsOn(access, place).has(permission))) return
  throw new ApiError('forbidden', `Your roles lack the permission ${permission} in an environment that it affects.`, {
    description: 'Name the instance that is to be let past, by moduleInstanceId, or ask an owner or an admin.',
  })
}
