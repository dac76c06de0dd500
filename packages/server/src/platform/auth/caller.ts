import { type Permission, type Principal, permissionsOf } from '@sluice/contract'
import type { Access } from './access.ts'

/**
 * Principal of a request, with its organization and permissions. A user who presses a button in Slack has no credential
 * of Sluice; the link to their Slack account identifies them.
 */
export type Caller = Principal & {
  access: Access
  /** Whether the organization will be deleted, and therefore cannot be changed. */
  isEnding: boolean
  through?: 'SLACK'
}

type Named = Pick<Principal, 'email' | 'fullName' | 'membershipId'>

/** Returns the display name of a caller. */
export const nameOf = ({ email, fullName, membershipId }: Named): string => email || (fullName ?? membershipId)

/** Reports whether the caller's role in the organization has a permission. */
export function mayDo({ role }: Pick<Principal, 'role'>, permission: Permission): boolean {
  const permissions: readonly Permission[] = permissionsOf[role]
  return permissions.includes(permission)
}
