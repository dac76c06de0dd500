import { goTo } from '../../execution/transitions.ts'
import type { CloudNo } from '../deployment-type.ts'
import { prefixesToRemove } from '../static/retention.ts'
import type { FunctionRelease } from './release.ts'
import { succeeded, versionOf } from './shifts.ts'
import type { LambdaStanding } from './state.ts'
import { note } from './track.ts'

/** Reports whether the release is live and only old versions are still to be deleted. */
export const isTidying = ({ progress: { step } }: LambdaStanding): boolean => step === 'retain' || step === 'remove'

/** Maximum number of versions that one release deletes, because it waits for the deletions. Later releases continue. */
export const maxRemovedVersions = 50

/** Selects the versions to delete, oldest first, keeping those that deployments of the function need. */
export function retained(
  standing: LambdaStanding,
  moduleInstanceId: string,
  history: readonly FunctionRelease[],
  now: Date,
): LambdaStanding {
  const { keepReleases = Number.POSITIVE_INFINITY } = standing.release
  const older = prefixesToRemove({ moduleInstanceId, prefix: versionOf(standing) }, keepReleases, history)
  const toRemove = older.slice(0, maxRemovedVersions)
  const message =
    older.length === 0
      ? 'No older version is deleted.'
      : `Deleting ${toRemove.length} of ${older.length} older versions: ${toRemove.join(', ')}.`
  return removeNext(note(standing, 'CLEAN_UP', now, { message }), toRemove, now)
}

const removeNext = (standing: LambdaStanding, toRemove: string[], now: Date): LambdaStanding =>
  toRemove.length === 0 ? succeeded(standing, now) : goTo(standing, 'remove', now, { toRemove })

/** Returns the version to delete next. */
export function nextToRemove({ id, progress: { toRemove = [] } }: LambdaStanding): string {
  const [version] = toRemove
  if (version === undefined) throw new Error(`deployment ${id} has no version to delete`)
  return version
}

/** Records that the next version was deleted, or stays because an alias refers to it. */
export function removed(standing: LambdaStanding, isRemoved: boolean, now: Date): LambdaStanding {
  const { data, progress } = standing
  const removal = { version: nextToRemove(standing), removedAt: now.toISOString() }
  const removedVersions = [...(data.removedVersions ?? []), ...(isRemoved ? [removal] : [])]
  return removeNext({ ...standing, data: { ...data, removedVersions } }, progress.toRemove?.slice(1) ?? [], now)
}

/** Continues after the cloud refused to delete the next version; ends if the permission is missing for all of them. */
export function removalRefused(standing: LambdaStanding, { name, message }: CloudNo, now: Date): LambdaStanding {
  if (standing.progress.step !== 'remove' || name.startsWith('AccessDenied')) {
    return succeededUntidied(standing, message, now)
  }
  const reason = `Version ${nextToRemove(standing)} was not deleted: ${message}`
  return removed(note(standing, 'CLEAN_UP', now, { message: reason }), false, now)
}

/** Ends a successful release although not every old version was deleted. The next release deletes them. */
export const succeededUntidied = (standing: LambdaStanding, why: string, now: Date): LambdaStanding =>
  succeeded(note(standing, 'CLEAN_UP', now, { message: `Older versions were not all deleted: ${why}` }), now)
