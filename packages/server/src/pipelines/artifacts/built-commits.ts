import type { CommitsOfArtifacts, PublishedAt } from '../../delivery/deployments/sources.ts'
import { commitUrlOf } from '../../git/adapter/repository-url.ts'
import { findCodeSourcesAt } from '../../git/code-sources/store.ts'
import { and, desc, eq, inArray, isNotNull, sql } from '../../platform/db/drizzle.ts'
import { present } from '../../platform/present.ts'
import { artifacts } from './tables.ts'

/** The commits that artifacts were built from, wherever they are released: an artifact goes on to other instances. */
export const builtCommits: CommitsOfArtifacts = async (db, organizationId, places) => {
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
  const isAt = (place: PublishedAt, { bucket, key, kind, digest }: (typeof rows)[number]) =>
    bucket === place.bucket && key === place.key && (kind !== 'image' || digest === place.digest)
  return (place) =>
    rows.flatMap((row) => {
      const { commit, repository } = row
      if (commit === null || !isAt(place, row)) return []
      const at = connected.find(({ repoUrl }) => repoUrl === repository)
      return present({ commit, repository: repository ?? undefined, url: at && commitUrlOf(at, commit) })
    })
}
