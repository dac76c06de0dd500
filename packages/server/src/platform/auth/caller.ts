import { type Permission, type Principal, permissionsOf } from '@sluice/contract'
import type { Access } from './access.ts'

/**
 * Who makes a request, within which organization and with which rights. Who presses a button in Slack shows no
 * credential of ours: the link of their account there stands in its place.
 */
export type Caller = Principal & {
  access: Access
  /** Whether the organization is to be deleted, and so not to be changed any more. */
  isEnding: boolean
  through?: 'SLACK'
}

type Named = Pick<Principal, 'email' | 'fullName' | 'membershipId'>

/** Who that is, for people. */
export const nameOf = ({ email, fullName, membershipId }: Named): string => email || (fullName ?? membershipId)

/** Whether somebody may in the organization, by the role there. */
export function mayDo({ role }: Pick<Principal, 'role'>, permission: Permission): boolean {
  const permissions: readonly Permission[] = permissionsOf[role]
  return permissions.includes(permission)
}
