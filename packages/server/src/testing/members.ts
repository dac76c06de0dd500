import { randomBytes } from 'node:crypto'
import type { Role } from '@sluice/contract'
import { apiKeys, memberships, serviceAccounts, users } from '../identity/organizations/tables.ts'
import { newApiKey, storedApiKey } from '../platform/auth/api-key.ts'
import type { Db } from '../platform/db/open.ts'
import { newId } from '../platform/ids.ts'

/** Adds a member with this role to an organization and returns their API key. */
export async function addMember(
  db: Db,
  organizationId: string,
  role: Role,
  membershipId = newId('mem'),
): Promise<string> {
  const [userId, token] = [newId('usr'), newApiKey()]
  const email = `${role.toLowerCase()}-${randomBytes(5).toString('hex')}@example.com`
  await db.insert(users).values({ id: userId, email, fullName: 'Mia Member' })
  await db.insert(memberships).values({ id: membershipId, organizationId, userId, role })
  await db
    .insert(apiKeys)
    .values({ id: newId('key'), organizationId, membershipId, name: 'test', ...storedApiKey(token) })
  return token
}

/** Adds a service account with this role to an organization and returns its API key. */
export async function addServiceAccount(
  db: Db,
  organizationId: string,
  role: Role,
  serviceAccountId = newId('sa'),
): Promise<string> {
  const token = newApiKey()
  await db.insert(serviceAccounts).values({ id: serviceAccountId, organizationId, name: serviceAccountId, role })
  await db
    .insert(apiKeys)
    .values({ id: newId('key'), organizationId, serviceAccountId, name: 'test', ...storedApiKey(token) })
  return token
}
