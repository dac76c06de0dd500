import { rights } from '../rights/right.ts'
import { findRole } from './operations.ts'

export const iamRights = rights({
  ListRoleTags: ({ RoleName = '' }: { RoleName?: string }, { world, caller }) =>
    findRole(world, caller, RoleName)?.key ?? `arn:aws:iam::${caller.accountId}:role/${RoleName}`,
})
