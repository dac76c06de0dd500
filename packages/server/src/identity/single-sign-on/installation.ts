import type { GroupRole, GroupTeam } from '@sluice/contract'
import type { Config } from '../../platform/config/settings.ts'
import type { Db } from '../../platform/db/open.ts'
import { findByGivenId } from '../organizations/store.ts'
import { teamsNamed } from '../teams/store.ts'
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
  | 'oidcGroupTeams'
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
  const namedTeams = (config.oidcGroupTeams ?? []).map(pairOf)
  // Asked each time: the organization and its teams may be made after we have started.
  return async () => {
    const organizationId = givenId === undefined ? undefined : (await findByGivenId(db, givenId))?.id
    return { ...fixed, organizationId, groupTeams: await groupTeamsOf(organizationId) }
  }

  async function groupTeamsOf(organizationId: string | undefined): Promise<GroupTeam[]> {
    if (organizationId === undefined || namedTeams.length === 0) return []
    const ids = await teamsNamed(
      db,
      organizationId,
      namedTeams.map(([, team]) => team),
    )
    return namedTeams.flatMap(([group, team]) => {
      const teamId = ids.get(team)
      return teamId === undefined ? [] : [{ group, teamId }]
    })
  }
}

/** `platform-admins=ADMIN`; the settings have seen to its form. */
function groupRoleOf(text: string): GroupRole {
  const [group, role] = pairOf(text)
  return { group, role: role as GroupRole['role'] }
}

function pairOf(text: string): [string, string] {
  const at = text.lastIndexOf('=')
  return [text.slice(0, at), text.slice(at + 1)]
}
