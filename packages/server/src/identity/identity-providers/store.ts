import type { UpdateIdentityProvider } from '@sluice/contract'
import { placeIn } from '../../platform/crypto/place.ts'
import { and, eq, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { type PageBounds, type PageRows, selectPage } from '../../platform/db/page.ts'
import { identityProviders, organizations, sealedProviderSecrets } from '../organizations/tables.ts'
import { signInDomains } from '../sign-in-domains/tables.ts'

export type IdentityProviderRow = typeof identityProviders.$inferSelect

/** Where a client secret stands, as it is sealed for. */
export const secretPlace = ({
  id,
  organizationId,
  issuer,
}: Pick<IdentityProviderRow, 'id' | 'organizationId' | 'issuer'>) =>
  placeIn(sealedProviderSecrets, organizationId, id, issuer)

/** The index that keeps an organization from having two. */
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

/** Of whoever signs in, and so is in no organization yet. */
export async function findProviderById(db: Db, id: string): Promise<IdentityProviderRow | undefined> {
  const [row] = await db.select().from(identityProviders).where(eq(identityProviders.id, id))
  return row
}

/** The provider of the organization that goes by that name. */
export async function findProviderOfOrganization(db: Db, givenId: string): Promise<IdentityProviderRow | undefined> {
  const [row] = await db
    .select({ provider: identityProviders })
    .from(identityProviders)
    .innerJoin(organizations, eq(organizations.id, identityProviders.organizationId))
    .where(eq(organizations.givenId, givenId))
  return row?.provider
}

/** The provider of the organization that has proven the domain to be its own. */
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

/** Takes a team that is gone out of what groups are mapped to. */
export async function unmapTeam(tx: Db, organizationId: string, teamId: string): Promise<void> {
  const { groupTeams } = identityProviders
  const others = sql`jsonb_path_query_array(${groupTeams}, '$[*] ? (@.teamId != $id)', jsonb_build_object('id', ${teamId}::text))`
  await tx
    .update(identityProviders)
    .set({ groupTeams: others })
    .where(eq(identityProviders.organizationId, organizationId))
}

/** Removes a provider; the sessions that it began, and whom its groups put in teams, go with it. */
export async function removeIdentityProvider(
  tx: Db,
  organizationId: string,
  id: string,
): Promise<IdentityProviderRow | undefined> {
  const [row] = await tx.delete(identityProviders).where(isOne(organizationId, id)).returning()
  return row
}
