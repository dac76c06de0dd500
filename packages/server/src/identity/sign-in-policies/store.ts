import { and, eq, inArray, ne, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { newId } from '../../platform/ids.ts'
import { identities, memberships } from '../organizations/tables.ts'
import { sessions } from '../sessions/tables.ts'
import { signInPolicies } from './tables.ts'

/**
 * Returns the membership of the only owner with password sign-in, or undefined if passwords are allowed. A policy is
 * void if that member is no longer an owner, so that an outage of the provider locks no one out.
 */
export async function findBreakGlass(db: Db, organizationId: string): Promise<string | undefined> {
  const [row] = await db
    .select({ id: memberships.id })
    .from(signInPolicies)
    .innerJoin(memberships, eq(memberships.id, signInPolicies.breakGlassMembershipId))
    .where(and(eq(signInPolicies.organizationId, organizationId), eq(memberships.role, 'OWNER')))
  return row?.id
}

export async function setBreakGlass(tx: Db, organizationId: string, breakGlassMembershipId: string): Promise<void> {
  await tx
    .insert(signInPolicies)
    .values({ id: newId('sip'), organizationId, breakGlassMembershipId })
    .onConflictDoUpdate({
      target: signInPolicies.organizationId,
      set: { breakGlassMembershipId, updatedAt: sql`now()` },
    })
}

export async function removePolicy(tx: Db, organizationId: string): Promise<void> {
  await tx.delete(signInPolicies).where(eq(signInPolicies.organizationId, organizationId))
}

/** Ends the organization's password sessions, except those of one membership. */
export async function removePasswordSessions(
  db: Db,
  organizationId: string,
  exceptMembershipId: string,
): Promise<void> {
  const byPassword = db.select({ id: identities.id }).from(identities).where(eq(identities.type, 'EMAIL_PASSWORD'))
  await db
    .delete(sessions)
    .where(
      and(
        eq(sessions.organizationId, organizationId),
        ne(sessions.membershipId, exceptMembershipId),
        inArray(sessions.identityId, byPassword),
      ),
    )
}
