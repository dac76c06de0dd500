import type { DeploymentSource } from '@sluice/contract'
import type { Db } from '../../platform/db/open.ts'
import { digestsAtEnd } from '../deployment-resources/store.ts'
import { type KnownCommit, sourceOf } from './source.ts'
import { dataOf } from './standing.ts'
import { findOrigins, type Origin } from './store.ts'
import type { DeploymentRow } from './tables.ts'

/** What is known of the commits that set runs off, by the id of the run. */
export type CommitsOfRuns = (
  db: Db,
  organizationId: string,
  runIds: readonly string[],
) => Promise<ReadonlyMap<string, KnownCommit>>

/** What each of these releases was made of: of one that repeats an earlier one, what that was made of. */
export async function sourcesOf(
  db: Db,
  organizationId: string,
  rows: readonly DeploymentRow[],
  commitsOfRuns: CommitsOfRuns,
): Promise<(row: DeploymentRow) => DeploymentSource> {
  const runs = await runsOfOrigins(db, organizationId, rows)
  const [commits, digests] = await Promise.all([
    commitsOfRuns(db, organizationId, [...new Set(runs.values())]),
    digestsAtEnd(
      db,
      organizationId,
      rows.flatMap(({ id, deploymentType }) => (deploymentType === 'cloud:ecs' ? id : [])),
    ),
  ])
  return (row) => {
    const { id, release, data, inputs } = row
    return sourceOf({ release, data: dataOf(data), inputs }, commits.get(runs.get(id) ?? ''), digests.get(id))
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
