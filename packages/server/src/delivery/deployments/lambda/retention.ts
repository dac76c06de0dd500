import { goTo } from '../moves.ts'
import { prefixesToRemove } from '../static/retention.ts'
import type { FunctionRelease } from './release.ts'
import { succeeded, versionOf } from './shifts.ts'
import type { LambdaStanding } from './standing.ts'
import { note } from './track.ts'

/** The release is live; only older versions are still to be deleted. */
export const isTidying = ({ progress: { step } }: LambdaStanding): boolean => step === 'retain' || step === 'remove'

/** Chooses the versions to delete by what the deployments of the function need. */
export function retained(
  standing: LambdaStanding,
  moduleInstanceId: string,
  history: readonly FunctionRelease[],
  now: Date,
): LambdaStanding {
  const { keepReleases = Number.POSITIVE_INFINITY } = standing.release
  const toRemove = prefixesToRemove({ moduleInstanceId, prefix: versionOf(standing) }, keepReleases, history)
  const message = toRemove.length === 0 ? 'No older version is deleted.' : `Deleting versions ${toRemove.join(', ')}.`
  return removeNext(note(standing, 'CLEAN_UP', now, { message }), toRemove, now)
}

const removeNext = (standing: LambdaStanding, toRemove: string[], now: Date): LambdaStanding =>
  toRemove.length === 0 ? succeeded(standing, now) : goTo(standing, 'remove', now, { toRemove })

/** The version that is deleted next. */
export function nextToRemove({ id, progress: { toRemove = [] } }: LambdaStanding): string {
  const [version] = toRemove
  if (version === undefined) throw new Error(`deployment ${id} has no version to delete`)
  return version
}

/** The next version was deleted, or an alias refers to it and it stays. */
export function removed(standing: LambdaStanding, isRemoved: boolean, now: Date): LambdaStanding {
  const { data, progress } = standing
  const removal = { version: nextToRemove(standing), removedAt: now.toISOString() }
  const removedVersions = [...(data.removedVersions ?? []), ...(isRemoved ? [removal] : [])]
  return removeNext({ ...standing, data: { ...data, removedVersions } }, progress.toRemove?.slice(1) ?? [], now)
}

/** Ends a release after whose success not every older version was deleted; the next release deletes them. */
export const succeededUntidied = (standing: LambdaStanding, why: string, now: Date): LambdaStanding =>
  succeeded(note(standing, 'CLEAN_UP', now, { message: `Older versions were not all deleted: ${why}` }), now)
