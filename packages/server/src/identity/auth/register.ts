import type { Register } from '@sluice/contract'
import type { FastifyRequest } from 'fastify'
import type { Db } from '../../platform/db/open.ts'
import { isTaken } from '../../platform/db/violations.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { recordChange } from '../audit-events/record.ts'
import { insertMembership } from '../memberships/store.ts'
import { hashPassword } from '../organizations/passwords.ts'
import { insertOrganization } from '../organizations/store.ts'
import { hasAnyPassword, insertUser, lockPasswords, setPassword } from '../users/store.ts'
import { findByPassword } from './sign-in.ts'

/** Whether anyone can register, or only the first user. */
export type Registration = 'open' | 'closed'

export async function rejectClosed(db: Db, registration: Registration): Promise<void> {
  if (registration === 'closed' && (await hasAnyPassword(db))) {
    throw new ApiError('registrationClosed', 'Ask an owner of your organization for an invitation.')
  }
}

/**
 * Registers an organization and its owner: a new user, or a known one with the right password. With a wrong password it
 * does nothing in the same time, so that it reveals no more than a sign-in. Returns whether the user was known.
 */
export async function register(
  db: Db,
  { email, password, fullName, organizationName }: Register,
  registration: Registration,
  request: FastifyRequest,
): Promise<true | undefined> {
  const passwordHash = await hashPassword(password)
  const known = await findByPassword(db, email, password)
  try {
    await db.transaction(async (tx) => {
      if (registration === 'closed') {
        await lockPasswords(tx)
        await rejectClosed(tx, registration)
      }
      const userId = known?.userId ?? (await insertNewcomer(tx, { email, fullName, passwordHash }))
      const organization = await insertOrganization(tx, organizationName)
      const membership = await insertMembership(tx, { organizationId: organization.id, userId, role: 'OWNER' })
      const caller = { ...membership, principalType: 'MEMBERSHIP', membershipId: membership.id, email } as const
      await recordChange(
        tx,
        { caller, request },
        { action: 'organizations.create', resourceType: 'organization', resourceId: organization.id },
      )
    })
  } catch (error) {
    if (!isTaken(error, 'users_email_unique')) throw error // otherwise the email address is known
  }
  return known && true
}

/** Inserts a user with a password. */
export async function insertNewcomer(
  tx: Db,
  { passwordHash, ...user }: { email: string; fullName: string; passwordHash: string },
): Promise<string> {
  const { id } = await insertUser(tx, user)
  await setPassword(tx, id, passwordHash)
  return id
}
