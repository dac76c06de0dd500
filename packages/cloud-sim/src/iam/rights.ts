import { defineIamPermissions, type PermissionContext } from '../rights/right.ts'
import { findRole } from './operations.ts'

const roleNamed = ({ RoleName = '' }: { RoleName?: string }, { world, caller }: PermissionContext) =>
  findRole(world, caller, RoleName)?.key ?? `arn:aws:iam::${caller.accountId}:role/${RoleName}`

export const iamRights = defineIamPermissions({
  GetRole: roleNamed,
  ListRoleTags: roleNamed,
  SimulatePrincipalPolicy: ({ PolicySourceArn = '*' }: { PolicySourceArn?: string }) => PolicySourceArn,
})
