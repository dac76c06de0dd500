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

/** Returns the operator's provider, which may speak for the domains in the settings. */
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
  // Looked up each time, because the organization and teams may be created after the start.
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

/** Parses a setting such as `platform-admins=ADMIN`, which is already validated. */
function groupRoleOf(text: string): GroupRole {
  const [group, role] = pairOf(text)
  return { group, role: role as GroupRole['role'] }
}

function pairOf(text: string): [string, string] {
  const at = text.lastIndexOf('=')
  return [text.slice(0, at), text.slice(at + 1)]
}
