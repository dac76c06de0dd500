import type { Db } from '../../platform/db/open.ts'
import { type CloneEnvironment, cloneEnvironment } from '../adapter/clone-environment.ts'
import { GitAccessLost, noApp } from '../adapter/errors.ts'
import type { HostedRepository, Loan } from '../adapter/host.ts'
import type { GitHosts } from '../adapter/hosts.ts'
import { isClaimed } from '../githosta-installations/store.ts'
import { findGithostbConnection } from '../githostb-connections/store.ts'
import type { ConnectionTokens } from '../githostb-connections/tokens.ts'
import { findInstanceOfHost } from '../githostb-instances/store.ts'
import { findCodeSourceAt } from './store.ts'
import type { CodeSourceRow } from './tables.ts'

/** What says which repository it is, and how it may be read. */
export type Source = Pick<CodeSourceRow, 'organizationId' | 'type' | 'repoUrl' | 'repoName' | 'auth'> & {
  gitRepositoryId: string | null
}

export interface OpenParts {
  hosts: GitHosts
  tokens: ConnectionTokens
}

/**
 * A code source at its host, with the access that the organization has this very moment: whatever was stored before, an
 * installation opens nothing to an organization that has not claimed it. `db` may be the organization's or the
 * process's. Throws `GitAccessLost`, and `GitHostNotConfigured` where the server lacks the settings.
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

/** Where strangers find the repository. */
async function publicUrlOf(db: Db, hosts: GitHosts, { organizationId, type, repoUrl }: Source): Promise<string> {
  if (type === 'GITHOSTB') return hosts.hostedB.url
  const { origin, host } = new URL(repoUrl)
  return (await findInstanceOfHost(db, organizationId, host))?.baseUrl ?? origin
}

/** Access to the repository at an address for the machines of a tenant, as far as it takes one: see `Loan`. */
export async function lendAccess(
  db: Db,
  parts: OpenParts,
  organizationId: string,
  address: string,
): Promise<Loan | undefined> {
  const source = await findCodeSourceAt(db, organizationId, address)
  return source && (await openRepository(db, parts, source)).lend()
}

/** What `git` needs to check the code source out: good for an hour or so, so ask for it when it is used. */
export async function credentialFor(db: Db, parts: OpenParts, source: Source): Promise<CloneEnvironment> {
  const repository = await openRepository(db, parts, source)
  return cloneEnvironment(await repository.cloneAccess())
}
