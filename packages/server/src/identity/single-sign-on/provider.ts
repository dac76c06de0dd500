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

/** Identity provider of an organization or of the installation. */
export type Provider = Rules & {
  id: string
  name: string
  issuer: string
  clientId: string
  /** Decrypts the client secret, which logout does not need. */
  clientSecret: () => string
  /** Organization that users join by signing in; undefined: none, and the provider assigns no roles. */
  organizationId: string | undefined
  /** Changes with every change of the settings. */
  version: string
}

/** ID of the identity provider that the operator configured. */
export const installationId = 'installation'

/** Returns the operator's provider, if configured. */
export type FindInstallationProvider = () => Promise<Provider | undefined>

export type ProviderParts = { db: Db; identitySeal: Seal; installationProvider: FindInstallationProvider }

export async function findProvider(parts: ProviderParts, id: string): Promise<Provider | undefined> {
  if (id === installationId) return parts.installationProvider()
  return opened(parts, await findProviderById(parts.db, id))
}

/** Returns the provider of an organization, of an email address's domain, or of the installation. */
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
