import { rights, type Where } from '../rights/right.ts'
import { findRole } from './operations.ts'

const roleNamed = ({ RoleName = '' }: { RoleName?: string }, { world, caller }: Where) =>
  findRole(world, caller, RoleName)?.key ?? `arn:aws:iam::${caller.accountId}:role/${RoleName}`

export const iamRights = rights({
  GetRole: roleNamed,
  ListRoleTags: roleNamed,
  SimulatePrincipalPolicy: ({ PolicySourceArn = '*' }: { PolicySourceArn?: string }) => PolicySourceArn,
})
