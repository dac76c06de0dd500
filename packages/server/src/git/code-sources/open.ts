import type { Db } from '../../platform/db/open.ts'
import { type CloneEnvironment, cloneEnvironment } from '../adapter/clone-environment.ts'
import { GitAccessLost, noApp } from '../adapter/errors.ts'
import type { HostedRepository, ReadAccess } from '../adapter/host.ts'
import type { GitHosts } from '../adapter/hosts.ts'
import { isClaimed } from '../githosta-installations/store.ts'
import { findGithostbConnection } from '../githostb-connections/store.ts'
import type { ConnectionTokens } from '../githostb-connections/tokens.ts'
import { findInstanceOfHost } from '../githostb-instances/store.ts'
import { findCodeSourceAt } from './store.ts'
import type { CodeSourceRow } from './tables.ts'

/** Repository and the access that is configured for it. */
export type Source = Pick<CodeSourceRow, 'organizationId' | 'type' | 'repoUrl' | 'repoName' | 'auth'> & {
  gitRepositoryId: string | null
}

export interface OpenParts {
  hosts: GitHosts
  tokens: ConnectionTokens
}

/**
 * Opens a repository with the organization's current access: an installation works only while the organization has
 * claimed it. `db` may be scoped to the organization or not. Throws `GitAccessLost`, or `GitHostNotConfigured` if the
 * server lacks the settings.
 */
export async function openRepository(db: Db, { hosts, tokens }: OpenParts, source: Source): Promise<HostedRepository> {
  const { organizationId, auth, repoName, gitRepositoryId, type } = source
  if (type === 'GITHOSTA') {
    if (auth.kind !== 'installation') {
      return hosts.a.repository({ repoName, gitRepositoryId, installationId: undefined })
    }
    if (!hosts.a.app) throw noApp()
    const installationId = auth.githostaInstallationId
    if (!(await isClaimed(db, organizationId, installationId))) {
      throw new GitAccessLost(`The installation ${installationId} is not claimed by this organization.`)
    }
    return hosts.a.repository({ repoName, gitRepositoryId, installationId })
  }
  if (auth.kind !== 'connection') {
    const url = await publicUrlOf(db, hosts, source)
    return hosts.b(url).repository({ repoName, gitRepositoryId, tokens: undefined })
  }
  const connection = await findGithostbConnection(db, organizationId, auth.githostbConnectionId)
  if (!connection) throw new GitAccessLost(`The connection ${auth.githostbConnectionId} is gone.`)
  return hosts.b(connection.baseUrl).repository({ repoName, gitRepositoryId, tokens: tokens(connection) })
}

/** Returns the web address for anonymous access. */
async function publicUrlOf(db: Db, hosts: GitHosts, { organizationId, type, repoUrl }: Source): Promise<string> {
  if (type === 'GITHOSTB') return hosts.hostedB.url
  const { origin, host } = new URL(repoUrl)
  return (await findInstanceOfHost(db, organizationId, host))?.baseUrl ?? origin
}

/** Returns read-only access to the repository at an address for the organization's runners; see `ReadAccess`. */
export async function readAccessAt(
  db: Db,
  parts: OpenParts,
  organizationId: string,
  address: string,
): Promise<ReadAccess | undefined> {
  const source = await findCodeSourceAt(db, organizationId, address)
  return source && (await openRepository(db, parts, source)).lend()
}

/**
 * Returns the URL and credential for `git` to check out the repository. Valid for about an hour, so request it just
 * before use.
 */
export async function credentialFor(db: Db, parts: OpenParts, source: Source): Promise<CloneEnvironment> {
  const repository = await openRepository(db, parts, source)
  return cloneEnvironment(await repository.cloneAccess())
}
