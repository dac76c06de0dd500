import { memberships, users } from '../../identity/organizations/tables.ts'
import { and, eq } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'

/** Returns the id of the membership with this email, ignoring case. */
export async function findMemberCalled(db: Db, organizationId: string, email: string): Promise<string | undefined> {
  const [found] = await db
    .select({ id: memberships.id })
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(and(eq(memberships.organizationId, organizationId), eq(users.email, email.toLowerCase())))
  return found?.id
}
