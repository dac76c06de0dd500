import { and, eq, inArray, ne, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { newId } from '../../platform/ids.ts'
import { identities, memberships } from '../organizations/tables.ts'
import { sessions } from '../sessions/tables.ts'
import { signInPolicies } from './tables.ts'

/**
 * The owner who alone signs in by password; undefined where everybody may. A policy whose owner is none any more does
 * not hold: nobody could sign in while the provider is away.
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

/** Ends the sessions in the organization that began with a password, but for those of one membership. */
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
