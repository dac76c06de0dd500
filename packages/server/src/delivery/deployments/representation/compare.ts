import type { DeploymentDifferences } from '@sluice/contract'
import { moduleVersions } from '../../../modules/module-definitions/tables.ts'
import { inArray } from '../../../platform/db/drizzle.ts'
import type { Db } from '../../../platform/db/open.ts'
import { findReleaseBefore } from '../store/store.ts'
import type { DeploymentRow } from '../store/tables.ts'
import { differencesOf, isRecorded, type ReleaseParts, releaseOf, replacedBy } from './differences.ts'
import { type KnownCommits, sourcesOf } from './sources.ts'

/**
 * Returns the differences between the releases of two deployments; without a second one, between a release and what it
 * replaced.
 */
export async function compare(
  db: Db,
  row: DeploymentRow,
  other: DeploymentRow | undefined,
  knownCommits: KnownCommits,
): Promise<DeploymentDifferences> {
  const before = other ?? (await findReleaseBefore(db, row))
  const rows = before ? [row, before] : [row]
  const [sourceIn, versions] = [
    await sourcesOf(db, row.organizationId, rows, knownCommits),
    await moduleVersionsOf(db, rows),
  ]
  const asRecorded = rows.every(isRecorded)
  const release = (one: DeploymentRow) =>
    releaseOf(one, { source: sourceIn(one), moduleVersion: versions.get(one.moduleVersionId ?? ''), asRecorded })
  const found = other
    ? { of: other, release: release(other) }
    : ranBefore(row, before && { of: before, release: release(before) })
  return {
    deploymentId: row.id,
    ...(found.of && { againstDeploymentId: found.of.id }),
    ...differencesOf(found.release, release(row)),
  }
}

type Before = { of: DeploymentRow; release: ReleaseParts }

/**
 * Returns what a deployment recorded about the release that it replaced, and the previous success if that has the same
 * version.
 */
function ranBefore(row: DeploymentRow, last: Before | undefined): { of?: DeploymentRow; release: ReleaseParts } {
  const replaced = replacedBy(row)
  if (!last) return { release: replaced ?? {} }
  const isLast = replaced?.VERSION === undefined || replaced.VERSION === last.release.VERSION
  if (!isLast) return { release: replaced }
  return { of: last.of, release: { ...last.release, ...replaced } }
}

async function moduleVersionsOf(db: Db, rows: readonly DeploymentRow[]): Promise<ReadonlyMap<string, string>> {
  const ids = rows.flatMap(({ moduleVersionId }) => moduleVersionId ?? [])
  if (ids.length === 0) return new Map()
  const found = await db
    .select({ id: moduleVersions.id, version: moduleVersions.version })
    .from(moduleVersions)
    .where(inArray(moduleVersions.id, ids))
  return new Map(found.map(({ id, version }) => [id, version]))
}
