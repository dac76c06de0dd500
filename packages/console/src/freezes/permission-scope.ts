import type { Freeze } from '@sluice/contract'
import type { PermissionScope } from '../api/scope.ts'

/** Returns the scope whose permissions decide about a freeze, which is wider than what the freeze blocks. */
export const permissionScopeOf = ({
  projectId,
  environmentId,
}: Pick<Freeze, 'projectId' | 'environmentId'>): PermissionScope =>
  projectId === undefined ? 'organization' : { projectId, ...(environmentId !== undefined && { environmentId }) }
