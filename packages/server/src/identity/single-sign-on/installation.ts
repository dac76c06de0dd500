import type { GroupRole } from '@sluice/contract'
import type { Config } from '../../platform/config/settings.ts'
import type { Db } from '../../platform/db/open.ts'
import { findByGivenId } from '../organizations/store.ts'
import { type FindInstallationProvider, installationId } from './provider.ts'

type OidcConfig = Pick<
  Config,
  | 'oidcIssuer'
  | 'oidcClientId'
  | 'oidcClientSecret'
  | 'oidcName'
  | 'oidcDomains'
  | 'oidcOrganization'
  | 'oidcGroupsClaim'
  | 'oidcGroupRoles'
  | 'oidcDefaultRole'
>

/** The provider that the operator has set up, whom the operator trusts with the domains of the settings. */
export function installationProviderOf(db: Db, config: OidcConfig): FindInstallationProvider {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret } = config
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return async () => undefined
  const fixed = {
    id: installationId,
    name: config.oidcName,
    issuer,
    clientId,
    clientSecret: () => clientSecret,
    domains: (config.oidcDomains ?? []).map((domain) => domain.toLowerCase()),
    groupsClaim: config.oidcGroupsClaim,
    groupRoles: (config.oidcGroupRoles ?? []).map(groupRoleOf),
    defaultRole: config.oidcDefaultRole,
    version: '',
  }
  const givenId = config.oidcOrganization
  // Asked each time: the organization may be made after we have started.
  return async () => ({
    ...fixed,
    organizationId: givenId === undefined ? undefined : (await findByGivenId(db, givenId))?.id,
  })
}

/** `platform-admins=ADMIN`; the settings have seen to its form. */
function groupRoleOf(text: string): GroupRole {
  const at = text.lastIndexOf('=')
  return { group: text.slice(0, at), role: text.slice(at + 1) as GroupRole['role'] }
}
