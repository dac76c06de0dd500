import type { DeploymentStatus, RemovedPrefix } from '@sluice/contract'

/** Use of a bucket's directory by a deployment. */
export type SiteRelease = {
  moduleInstanceId: string
  status: DeploymentStatus
  prefix: string
  removedPrefixes: RemovedPrefix[]
}

/** Reports whether two directories are the same or one contains the other. */
export const overlaps = (a: string, b: string): boolean => `${a}/`.startsWith(`${b}/`) || `${b}/`.startsWith(`${a}/`)

/**
 * Returns the directories to delete after a release, oldest first: those of the instance's successful releases except
 * the latest `keep`, including this one. Keeps directories of other instances and of unfinished deployments. `history`
 * has the bucket's deployments in the order in which they ended.
 */
export function prefixesToRemove(
  { moduleInstanceId, prefix: active }: Pick<SiteRelease, 'moduleInstanceId' | 'prefix'>,
  keep: number,
  history: readonly SiteRelease[],
): string[] {
  const isOwn = (release: SiteRelease) => release.moduleInstanceId === moduleInstanceId
  const older = stillThere(history, isOwn).filter((prefix) => prefix !== active)
  const kept = Math.max(0, keep - 1)
  const stay = [
    active,
    ...older.slice(Math.max(0, older.length - kept)),
    ...stillThere(history, (release) => !isOwn(release)),
    ...history.filter(({ status }) => status !== 'SUCCESS').map(({ prefix }) => prefix),
  ]
  return older.slice(0, Math.max(0, older.length - kept)).filter((prefix) => !stay.some((one) => overlaps(one, prefix)))
}

/** Returns the directories of successful releases that were not deleted since, in the order of their last release. */
function stillThere(history: readonly SiteRelease[], isMeant: (release: SiteRelease) => boolean): string[] {
  const there = new Set<string>()
  for (const release of history) {
    if (release.status !== 'SUCCESS') continue
    for (const { prefix, completedAt } of release.removedPrefixes) if (completedAt !== undefined) there.delete(prefix)
    if (!isMeant(release)) continue
    there.delete(release.prefix) // added again at the end
    there.add(release.prefix)
  }
  return [...there]
}

/** Reports whether the deletion of a directory was started and not finished, so that its content is incomplete. */
export function isPartlyRemoved(prefix: string, history: readonly SiteRelease[]): boolean {
  const last = history
    .flatMap(({ removedPrefixes }) => removedPrefixes)
    .filter((removed) => removed.prefix === prefix)
    .sort((a, b) => Date.parse(a.startedAt) - Date.parse(b.startedAt))
    .at(-1)
  return last !== undefined && last.completedAt === undefined
}
