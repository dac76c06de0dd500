import { type Permission, type Principal, permissionsOf } from '@sluice/contract'

/** Who makes a request, within which organization and with which rights. */
export type Caller = Principal

type Named = Pick<Caller, 'email' | 'fullName' | 'membershipId'>

/** Who that is, for people. */
export const nameOf = ({ email, fullName, membershipId }: Named): string => email || (fullName ?? membershipId)

export function mayDo({ role }: Pick<Caller, 'role'>, permission: Permission): boolean {
  const permissions: readonly Permission[] = permissionsOf[role]
  return permissions.includes(permission)
}
