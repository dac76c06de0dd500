import type { DeploymentSource } from '@sluice/contract'
import type { Db } from '../../../platform/db/open.ts'
import { digestsAtEnd } from '../../deployment-resources/store.ts'
import { dataOf } from '../execution/state.ts'
import { findOrigins, type Origin } from '../store/store.ts'
import type { DeploymentRow } from '../store/tables.ts'
import { type KnownCommit, publishedAt, sourceOf } from './source.ts'

/** Returns what is known about the commits that started pipeline runs, by run id. */
export type CommitsOfRuns = (
  db: Db,
  organizationId: string,
  runIds: readonly string[],
) => Promise<ReadonlyMap<string, KnownCommit>>

/** Location of an artifact that a build may have published: an object in a bucket, or an image with its digest. */
export type PublishedAt = { bucket: string; key: string; digest?: string }

/**
 * Returns what is known about the commits that an artifact was built from, latest first. Several commits can produce
 * the same artifact.
 */
export type CommitsOfArtifacts = (
  db: Db,
  organizationId: string,
  places: readonly PublishedAt[],
) => Promise<(place: PublishedAt) => KnownCommit[]>

/** Lookups of commits. They are injected, because pipelines depend on deployments. */
export type KnownCommits = { ofRuns: CommitsOfRuns; ofArtifacts: CommitsOfArtifacts }

/** Returns the source of each release. A deployment that repeats a release has the source of the original one. */
export async function sourcesOf(
  db: Db,
  organizationId: string,
  rows: readonly DeploymentRow[],
  { ofRuns, ofArtifacts }: KnownCommits,
): Promise<(row: DeploymentRow) => DeploymentSource> {
  const runs = await runsOfOrigins(db, organizationId, rows)
  const places = rows.flatMap(({ data }) => publishedAt(dataOf(data)) ?? [])
  const [commits, built, digests] = await Promise.all([
    ofRuns(db, organizationId, [...new Set(runs.values())]),
    ofArtifacts(db, organizationId, places),
    digestsAtEnd(
      db,
      organizationId,
      rows.flatMap(({ id, deploymentType }) => (deploymentType === 'cloud:ecs' ? id : [])),
    ),
  ])
  return (row) => {
    const { id, release, inputs } = row
    const data = dataOf(row.data)
    const place = publishedAt(data)
    const known = { built: place ? built(place) : [], pushed: commits.get(runs.get(id) ?? '') }
    return sourceOf({ release, data, inputs }, known, digests.get(id))
  }
}

/** Maximum length of a chain of repeated releases. Beyond that, the commit is unknown. */
const maxChainLength = 20

/** Returns the pipeline run in which each release originated, by release. */
async function runsOfOrigins(
  db: Db,
  organizationId: string,
  rows: readonly DeploymentRow[],
): Promise<ReadonlyMap<string, string>> {
  const runs = new Map<string, string>()
  let open: { id: string; at: Origin }[] = rows.map((row) => ({ id: row.id, at: row }))
  for (let hop = 0; hop < maxChainLength && open.length > 0; hop += 1) {
    for (const { id, at } of open) if (before(at) === null && at.pipelineRunId !== null) runs.set(id, at.pipelineRunId)
    const wanted = new Set(open.flatMap(({ at }) => before(at) ?? []))
    const found = await findOrigins(db, organizationId, [...wanted])
    open = open.flatMap(({ id, at }) => {
      const next = found.find((one) => one.id === before(at))
      return next ? [{ id, at: next }] : []
    })
  }
  return runs
}

const before = ({ redeployOfDeploymentId, rollbackToDeploymentId }: Origin): string | null =>
  rollbackToDeploymentId ?? redeployOfDeploymentId
