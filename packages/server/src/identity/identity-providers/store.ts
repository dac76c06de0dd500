import type { UpdateIdentityProvider } from '@sluice/contract'
import { createSealContext } from '../../platform/crypto/place.ts'
import { and, eq, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import { identityProviders, organizations, sealedProviderSecrets } from '../organizations/tables.ts'
import { signInDomains } from '../sign-in-domains/tables.ts'

export type IdentityProviderRow = typeof identityProviders.$inferSelect

/** Returns the encryption context of a client secret. */
export const secretPlace = ({
  id,
  organizationId,
  issuer,
}: Pick<IdentityProviderRow, 'id' | 'organizationId' | 'issuer'>) =>
  createSealContext(sealedProviderSecrets, organizationId, id, issuer)

/** Unique index that allows one provider per organization. */
export const onceIndex = 'identity_providers_organization'

const isOne = (organizationId: string, id: string) =>
  and(eq(identityProviders.organizationId, organizationId), eq(identityProviders.id, id))

export async function findIdentityProvider(
  db: Db,
  organizationId: string,
  id: string,
): Promise<IdentityProviderRow | undefined> {
  const [row] = await db.select().from(identityProviders).where(isOne(organizationId, id))
  return row
}

export const listIdentityProviders = (
  db: Db,
  organizationId: string,
  page: PageBounds,
): Promise<PageRows<IdentityProviderRow>> =>
  selectPage(db, identityProviders, eq(identityProviders.organizationId, organizationId), page)

/** Finds a provider without an organization scope, for users who are about to sign in. */
export async function findProviderById(db: Db, id: string): Promise<IdentityProviderRow | undefined> {
  const [row] = await db.select().from(identityProviders).where(eq(identityProviders.id, id))
  return row
}

/** Returns the provider of the organization with this givenId. */
export async function findProviderOfOrganization(db: Db, givenId: string): Promise<IdentityProviderRow | undefined> {
  const [row] = await db
    .select({ provider: identityProviders })
    .from(identityProviders)
    .innerJoin(organizations, eq(organizations.id, identityProviders.organizationId))
    .where(eq(organizations.givenId, givenId))
  return row?.provider
}

/** Returns the provider of the organization that verified this domain. */
export async function findProviderOfDomain(db: Db, domain: string): Promise<IdentityProviderRow | undefined> {
  const [row] = await db
    .select({ provider: identityProviders })
    .from(identityProviders)
    .innerJoin(signInDomains, eq(signInDomains.organizationId, identityProviders.organizationId))
    .where(and(eq(signInDomains.domain, domain), sql`${signInDomains.verifiedAt} is not null`))
  return row?.provider
}

export type NewIdentityProvider = Omit<IdentityProviderRow, 'createdAt' | 'updatedAt'>

export async function insertIdentityProvider(tx: Db, provider: NewIdentityProvider): Promise<IdentityProviderRow> {
  const [row] = await tx.insert(identityProviders).values(provider).returning()
  if (!row) throw new Error('an insert returned nothing')
  return row
}

type Change = Omit<UpdateIdentityProvider, 'clientSecret'> & { sealedClientSecret?: string }

export async function updateIdentityProvider(
  tx: Db,
  organizationId: string,
  id: string,
  change: Change,
): Promise<IdentityProviderRow | undefined> {
  const [row] = await tx
    .update(identityProviders)
    .set({ ...change, updatedAt: sql`now()` })
    .where(isOne(organizationId, id))
    .returning()
  return row
}

/** Removes a deleted team from group mappings. */
export async function unmapTeam(tx: Db, organizationId: string, teamId: string): Promise<void> {
  const { groupTeams } = identityProviders
  const others = sql`jsonb_path_query_array(${groupTeams}, '$[*] ? (@.teamId != $id)', jsonb_build_object('id', ${teamId}::text))`
  await tx
    .update(identityProviders)
    .set({ groupTeams: others })
    .where(eq(identityProviders.organizationId, organizationId))
}

/** Deletes a provider, and with it its sessions and the team memberships from its groups. */
export async function removeIdentityProvider(
  tx: Db,
  organizationId: string,
  id: string,
): Promise<IdentityProviderRow | undefined> {
  const [row] = await tx.delete(identityProviders).where(isOne(organizationId, id)).returning()
  return row
}
