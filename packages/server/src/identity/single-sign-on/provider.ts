import type { Seal } from '../../platform/crypto/seal.ts'
import type { Db } from '../../platform/db/open.ts'
import {
  findProviderById,
  findProviderOfDomain,
  findProviderOfOrganization,
  type IdentityProviderRow,
  secretPlace,
} from '../identity-providers/store.ts'
import { provenDomains } from '../sign-in-domains/store.ts'
import { domainOf, type Rules } from './machine.ts'

/** Who says who people are: of one organization, or of the whole installation. */
export type Provider = Rules & {
  id: string
  name: string
  issuer: string
  clientId: string
  /** Opens what is sealed: ending sessions does without. */
  clientSecret: () => string
  /** Where people become members by signing in; undefined: nowhere, and roles are not the provider's to give. */
  organizationId: string | undefined
  /** Changes whenever something of it does. */
  version: string
}

/** The id of the provider that the operator set up, for everybody. */
export const installationId = 'installation'

/** The operator's provider, where there is one. */
export type FindInstallationProvider = () => Promise<Provider | undefined>

export type ProviderParts = { db: Db; identitySeal: Seal; installationProvider: FindInstallationProvider }

export async function findProvider(parts: ProviderParts, id: string): Promise<Provider | undefined> {
  if (id === installationId) return parts.installationProvider()
  return opened(parts, await findProviderById(parts.db, id))
}

/** The provider of an organization, of an address by its domain, or of the installation. */
export async function chooseProvider(
  parts: ProviderParts,
  { email, organization }: { email?: string; organization?: string },
): Promise<Provider | undefined> {
  if (organization !== undefined) return opened(parts, await findProviderOfOrganization(parts.db, organization))
  const installation = await parts.installationProvider()
  if (email === undefined) return installation
  const own = await opened(parts, await findProviderOfDomain(parts.db, domainOf(email)))
  return own ?? (installation?.domains.includes(domainOf(email)) ? installation : undefined)
}

async function opened(
  { db, identitySeal }: ProviderParts,
  row: IdentityProviderRow | undefined,
): Promise<Provider | undefined> {
  if (!row) return undefined
  const { id, name, issuer, clientId, groupsClaim, groupRoles, groupTeams, organizationId } = row
  return {
    id,
    name,
    issuer,
    clientId,
    clientSecret: () => identitySeal.open(secretPlace(row), row.sealedClientSecret),
    groupsClaim,
    groupRoles,
    groupTeams,
    defaultRole: row.defaultRole ?? undefined,
    organizationId,
    domains: await provenDomains(db, organizationId),
    version: row.updatedAt.toISOString(),
  }
}
