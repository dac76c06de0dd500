import type { DeploymentSource } from '@sluice/contract'
import type { Db } from '../../../platform/db/open.ts'
import { digestsAtEnd } from '../../deployment-resources/store.ts'
import { dataOf } from '../execution/state.ts'
import { findOrigins, type Origin } from '../store/store.ts'
import type { DeploymentRow } from '../store/tables.ts'
import { type KnownCommit, publishedAt, sourceOf } from './source.ts'

/** What is known of the commits that set runs off, by the id of the run. */
export type CommitsOfRuns = (
  db: Db,
  organizationId: string,
  runIds: readonly string[],
) => Promise<ReadonlyMap<string, KnownCommit>>

/** Where something was published that builds may have made: as an object, or as an image by its digest. */
export type PublishedAt = { bucket: string; key: string; digest?: string }

/** What is known of the commits that builds made what lies there of, the latest first: several may make the same. */
export type CommitsOfArtifacts = (
  db: Db,
  organizationId: string,
  places: readonly PublishedAt[],
) => Promise<(place: PublishedAt) => KnownCommit[]>

/** Who knows commits: they are above deployments. */
export type KnownCommits = { ofRuns: CommitsOfRuns; ofArtifacts: CommitsOfArtifacts }

/** What each of these releases was made of: of one that repeats an earlier one, what that was made of. */
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

/** So often a release may have been repeated, one after the other; beyond, its commit is not known. */
const longestChain = 20

/** The run that each release began in at first, by the release. */
async function runsOfOrigins(
  db: Db,
  organizationId: string,
  rows: readonly DeploymentRow[],
): Promise<ReadonlyMap<string, string>> {
  const runs = new Map<string, string>()
  let open: { id: string; at: Origin }[] = rows.map((row) => ({ id: row.id, at: row }))
  for (let hop = 0; hop < longestChain && open.length > 0; hop += 1) {
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
