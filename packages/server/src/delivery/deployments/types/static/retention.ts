import type { DeploymentStatus, RemovedPrefix } from '@sluice/contract'

/** What a deployment has to do with the directories of a bucket. */
export type SiteRelease = {
  moduleInstanceId: string
  status: DeploymentStatus
  prefix: string
  removedPrefixes: RemovedPrefix[]
}

/** Whether one of two directories is the other or lies in it. */
export const overlaps = (a: string, b: string): boolean => `${a}/`.startsWith(`${b}/`) || `${b}/`.startsWith(`${a}/`)

/**
 * The directories to delete after a release of the instance, the oldest first: those of its successful releases beyond
 * the latest `keep`, the present one counted. What another instance released from the same bucket stays, and what a
 * deployment that is not over needs. `history` is that of the bucket, in the order in which the deployments ended.
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

/** The directories of successful releases that nobody deleted since, in the order of their last release. */
function stillThere(history: readonly SiteRelease[], isMeant: (release: SiteRelease) => boolean): string[] {
  const there = new Set<string>()
  for (const release of history) {
    if (release.status !== 'SUCCESS') continue
    for (const { prefix, completedAt } of release.removedPrefixes) if (completedAt !== undefined) there.delete(prefix)
    if (!isMeant(release)) continue
    there.delete(release.prefix) // to be added at the end
    there.add(release.prefix)
  }
  return [...there]
}

/** Whether the deletion of a directory was begun and never finished: what is left of it is not a whole release. */
export function isHalfRemoved(prefix: string, history: readonly SiteRelease[]): boolean {
  const last = history
    .flatMap(({ removedPrefixes }) => removedPrefixes)
    .filter((removed) => removed.prefix === prefix)
    .sort((a, b) => Date.parse(a.startedAt) - Date.parse(b.startedAt))
    .at(-1)
  return last !== undefined && last.completedAt === undefined
}
