import { type Permission, type Principal, permissionsOf } from '@sluice/contract'

/** Who makes a request, within which organization and with which rights. */
export type Caller = Principal

export function mayDo({ role }: Pick<Caller, 'role'>, permission: Permission): boolean {
  const permissions: readonly Permission[] = permissionsOf[role]
  return permissions.includes(permission)
}
