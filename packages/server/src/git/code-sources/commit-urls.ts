import { eq } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import type { GitHosts } from '../adapter/hosts.ts'
import { commitUrlOf } from '../adapter/repository-url.ts'
import { githostbConnections } from '../githostb-connections/tables.ts'
import { githostbInstances } from '../githostb-instances/tables.ts'
import type { CodeSourceRow } from './tables.ts'

type Seen = Pick<CodeSourceRow, 'type' | 'repoUrl' | 'auth'>

/**
 * Returns a function that builds commit URLs for these repositories. Stored addresses are always HTTPS, but a host's
 * web address may be plain HTTP.
 */
export async function commitUrls(
  db: Db,
  hosts: GitHosts,
  organizationId: string,
  sources: readonly Seen[],
): Promise<(source: Seen, commit: string) => string> {
  const hasOwn = sources.some(({ type }) => type === 'GITHOSTB_SELF_HOSTED')
  const own = hasOwn ? await ownHosts(db, organizationId) : { connections: [], instances: [] }
  return (source, commit) => {
    const { host } = new URL(source.repoUrl)
    const { auth } = source
    const connected = auth.kind === 'connection' && own.connections.find(({ id }) => id === auth.githostbConnectionId)
    const known = [hosts.a.url, hosts.hostedB.url, ...own.instances.map(({ baseUrl }) => baseUrl)]
    const seen = [...(connected ? [connected.baseUrl] : []), ...known].find((url) => new URL(url).host === host)
    return commitUrlOf(source, commit, seen ?? source.repoUrl)
  }
}

/** Loads the addresses of hosts that the organization registered. */
async function ownHosts(db: Db, organizationId: string) {
  const { id, baseUrl } = githostbConnections
  const connections = await db
    .select({ id, baseUrl })
    .from(githostbConnections)
    .where(eq(githostbConnections.organizationId, organizationId))
  const instances = await db
    .select({ baseUrl: githostbInstances.baseUrl })
    .from(githostbInstances)
    .where(eq(githostbInstances.organizationId, organizationId))
  return { connections, instances }
}
