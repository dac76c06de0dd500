import type { GlobalRole } from '@sluice/contract'
import { newApiKey, storedApiKey } from '../../platform/auth/api-key.ts'
import { sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { newId } from '../../platform/ids.ts'
import { insertApiKey } from '../api-keys/store.ts'
import { normalEmail } from '../auth/sign-in.ts'
import { insertMembership } from '../memberships/store.ts'
import { insertUser, setPassword } from '../users/store.ts'
import { hashPassword } from './passwords.ts'
import { organizations } from './tables.ts'

/** First organization of an empty database, with its owner. */
export type FirstOrganization = {
  name: string
  givenId: string
  owner: { email: string; fullName: string; password?: string }
  /** The owner's API key; generated if absent. */
  token?: string
}

export const defaultFirstOrganization: FirstOrganization = {
  name: 'Default',
  givenId: 'default',
  owner: { email: 'owner@localhost', fullName: 'Owner' },
}

/**
 * Creates the first organization in an empty database. Its owner becomes a superadmin. Returns the owner's API key, or
 * undefined if an organization exists.
 */
export async function bootstrap(db: Db, first: FirstOrganization): Promise<string | undefined> {
  if (await hasOrganizations(db)) return undefined
  return db.transaction(async (tx) => {
    // Processes that start concurrently wait here for the one that creates it.
    await tx.execute(sql`lock table ${organizations} in share row exclusive mode`)
    if (await hasOrganizations(tx)) return undefined
    const { token } = await createOrganization(tx, first, 'SUPERADMIN')
    return token
  })
}

async function hasOrganizations(db: Db): Promise<boolean> {
  const [one] = await db.select({ id: organizations.id }).from(organizations).limit(1)
  return one !== undefined
}

/** Creates an organization with its owner and an API key for the owner. */
export async function createOrganization(
  tx: Db,
  { name, givenId, owner, token = newApiKey() }: FirstOrganization,
  globalRole: GlobalRole = 'USER',
): Promise<{ organizationId: string; token: string }> {
  const organizationId = newId('org')
  await tx.insert(organizations).values({ id: organizationId, name, givenId })
  const user = await insertUser(tx, { email: normalEmail(owner.email), fullName: owner.fullName, globalRole })
  if (owner.password !== undefined) await setPassword(tx, user.id, await hashPassword(owner.password))
  const { id: membershipId } = await insertMembership(tx, { organizationId, userId: user.id, role: 'OWNER' })
  const key = { organizationId, membershipId, name: "The first owner's key", expiresAt: null, ...storedApiKey(token) }
  await insertApiKey(tx, key)
  return { organizationId, token }
}
