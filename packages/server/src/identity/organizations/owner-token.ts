import { newApiKey, storedApiKey } from '../../platform/auth/api-key.ts'
import { and, asc, eq } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { insertApiKey } from '../api-keys/store.ts'
import { serviceAuthor } from '../audit-events/author.ts'
import { recordChange } from '../audit-events/record.ts'
import { memberships, organizations, users } from './tables.ts'

/** API key with its owner. */
export type OwnerToken = { token: string; name: string; email: string }

/**
 * Creates an API key for the longest-serving owner of an organization, for operators with database access. Recorded in
 * the organization's audit log.
 */
export function makeOwnerToken(db: Db, givenId: string | undefined): Promise<OwnerToken> {
  return db.transaction(async (tx) => {
    const { id: organizationId, name } = await organizationNamed(tx, givenId)
    const [owner] = await tx
      .select({ membershipId: memberships.id, email: users.email })
      .from(memberships)
      .innerJoin(users, eq(users.id, memberships.userId))
      .where(and(eq(memberships.organizationId, organizationId), eq(memberships.role, 'OWNER')))
      .orderBy(asc(memberships.id))
      .limit(1)
    if (!owner) throw new Error(`The organization ${name} has no owner.`)
    const { membershipId, email } = owner
    const token = newApiKey()
    const named = { organizationId, membershipId, name: 'Made with sluice owner-token', expiresAt: null }
    const key = await insertApiKey(tx, { ...named, ...storedApiKey(token) })
    const author = { ...serviceAuthor(organizationId), actorName: 'sluice owner-token' }
    const change = { action: 'api-keys.create', resourceType: 'api-key', resourceId: key.id, details: { membershipId } }
    await recordChange(tx, author, change)
    return { token, name, email }
  })
}

async function organizationNamed(tx: Db, givenId: string | undefined) {
  const where = givenId === undefined ? undefined : eq(organizations.givenId, givenId)
  const found = await tx.select().from(organizations).where(where).orderBy(asc(organizations.id)).limit(2)
  const [one, another] = found
  if (one && !another) return one
  if (one) throw new Error('There are several organizations: name one by its given id with --organization.')
  const none = 'There is no organization yet. The first start of the service creates one.'
  throw new Error(givenId === undefined ? none : `There is no organization with the given id ${givenId}.`)
}
