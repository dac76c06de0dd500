import { count } from 'drizzle-orm'
import { newApiKey, storedApiKey } from '../platform/auth/api-key.ts'
import type { Db } from '../platform/db/open.ts'
import { newId } from '../platform/ids.ts'
import { hashPassword } from './passwords.ts'
import { apiKeys, identities, memberships, organizations, users } from './tables.ts'

/** The organization that an empty database starts with, and its owner. */
export type FirstOrganization = {
  name: string
  givenId: string
  owner: { email: string; fullName: string; password?: string }
  /** The owner's API key; without it one is made. */
  token?: string
}

export const defaultFirstOrganization: FirstOrganization = {
  name: 'Default',
  givenId: 'default',
  owner: { email: 'owner@localhost', fullName: 'Owner' },
}

/** Gives an empty database its first organization. The owner's API key, or undefined when there was one already. */
export async function bootstrap(db: Db, first: FirstOrganization): Promise<string | undefined> {
  return db.transaction(async (tx) => {
    const [existing] = await tx.select({ organizations: count() }).from(organizations)
    if (existing && existing.organizations > 0) return undefined
    const { token } = await createOrganization(tx, first)
    return token
  })
}

/** Creates an organization with its owner and an API key of the owner's. */
export async function createOrganization(
  tx: Db,
  { name, givenId, owner, token = newApiKey() }: FirstOrganization,
): Promise<{ organizationId: string; token: string }> {
  const organizationId = newId('org')
  const userId = newId('usr')
  const membershipId = newId('mem')
  await tx.insert(organizations).values({ id: organizationId, name, givenId })
  await tx.insert(users).values({ id: userId, email: owner.email, fullName: owner.fullName })
  if (owner.password !== undefined) {
    const passwordHash = await hashPassword(owner.password)
    await tx.insert(identities).values({ id: newId('idn'), userId, type: 'EMAIL_PASSWORD', passwordHash })
  }
  await tx.insert(memberships).values({ id: membershipId, organizationId, userId, role: 'OWNER' })
  await tx
    .insert(apiKeys)
    .values({ id: newId('key'), organizationId, membershipId, name: "The first owner's key", ...storedApiKey(token) })
  return { organizationId, token }
}
