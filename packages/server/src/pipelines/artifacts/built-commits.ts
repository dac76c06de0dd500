import type { KnownCommit } from '../../delivery/deployments/representation/source.ts'
import type { PublishedAt } from '../../delivery/deployments/representation/sources.ts'
import type { GitHosts } from '../../git/adapter/hosts.ts'
import { commitUrls } from '../../git/code-sources/commit-urls.ts'
import { findCodeSourcesAt, isAtAddress } from '../../git/code-sources/store.ts'
import { and, desc, eq, inArray, isNotNull, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { present } from '../../platform/present.ts'
import { artifacts } from './tables.ts'

/**
 * Returns the commits that artifacts were built from. An artifact may be released by other instances than the one that
 * built it.
 */
export async function builtCommits(
  hosts: GitHosts,
  db: Db,
  organizationId: string,
  places: readonly PublishedAt[],
): Promise<(place: PublishedAt) => KnownCommit[]> {
  if (places.length === 0) return () => []
  const keys = [...new Set(places.map(({ key }) => key))]
  const { bucket, key, digest, kind, commit, provenance } = artifacts
  const source = sql`${provenance} #> '{predicate,buildDefinition,externalParameters,source}'`
  const rows = await db
    .select({ bucket, key, digest, kind, commit, repository: sql<string | null>`${source} ->> 'repository'` })
    .from(artifacts)
    .where(and(eq(artifacts.organizationId, organizationId), inArray(key, keys), isNotNull(commit)))
    .orderBy(desc(artifacts.id))
  const connected = await findCodeSourcesAt(
    db,
    organizationId,
    rows.flatMap(({ repository }) => repository ?? []),
  )
  const urlOf = await commitUrls(db, hosts, organizationId, connected)
  const isAt = (place: PublishedAt, { bucket, key, kind, digest }: (typeof rows)[number]) =>
    bucket === place.bucket && key === place.key && (kind !== 'image' || digest === place.digest)
  return (place) =>
    rows.flatMap((row) => {
      const { commit, repository } = row
      if (commit === null || !isAt(place, row)) return []
      const at = connected.find((source) => isAtAddress(source, repository))
      return present({ commit, repository: repository ?? undefined, url: at && urlOf(at, commit) })
    })
}
