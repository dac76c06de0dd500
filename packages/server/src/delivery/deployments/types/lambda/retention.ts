import { goTo } from '../../execution/transitions.ts'
import type { CloudRejection } from '../deployment-type.ts'
import { prefixesToRemove } from '../static/retention.ts'
import type { FunctionRelease } from './release.ts'
import { endSuccessful, versionOf } from './shifts.ts'
import type { LambdaState } from './state.ts'
import { note } from './track.ts'

/** Reports whether the release is live and only old versions are still to be deleted. */
export const isRemovingOldVersions = ({ progress: { step } }: LambdaState): boolean =>
  step === 'retain' || step === 'remove'

/** Maximum number of versions that one release deletes, because it waits for the deletions. Later releases continue. */
export const maxRemovedVersions = 50

/**
 * Maximum number of versions that one release tries to delete. Versions that the cloud refuses to delete stay the
 * oldest ones, so that a maximum near `maxRemovedVersions` would hide newer ones forever.
 */
const maxTriedVersions = 200

/** Selects the versions to delete, oldest first, keeping those that deployments of the function need. */
export function selectVersionsToRemove(
  deployment: LambdaState,
  moduleInstanceId: string,
  history: readonly FunctionRelease[],
  now: Date,
): LambdaState {
  const { keepReleases = Number.POSITIVE_INFINITY } = deployment.release
  const older = prefixesToRemove({ moduleInstanceId, prefix: versionOf(deployment) }, keepReleases, history)
  const next = older.slice(0, maxRemovedVersions)
  const message =
    older.length === 0
      ? 'No older version is deleted.'
      : `Deleting ${next.length} of ${older.length} older versions: ${next.join(', ')}.`
  return removeNext(note(deployment, 'CLEAN_UP', now, { message }), older.slice(0, maxTriedVersions), now)
}

function removeNext(deployment: LambdaState, toRemove: string[], now: Date): LambdaState {
  const { removedVersions = [] } = deployment.data
  const hasEnded = toRemove.length === 0 || removedVersions.length >= maxRemovedVersions
  return hasEnded ? endSuccessful(deployment, now) : goTo(deployment, 'remove', now, { toRemove })
}

/** Returns the version to delete next. */
export function nextToRemove({ id, progress: { toRemove = [] } }: LambdaState): string {
  const [version] = toRemove
  if (version === undefined) throw new Error(`deployment ${id} has no version to delete`)
  return version
}

/** Records that the next version was deleted, or stays because an alias refers to it. */
export function onVersionRemoved(deployment: LambdaState, isRemoved: boolean, now: Date): LambdaState {
  const { data, progress } = deployment
  const removal = { version: nextToRemove(deployment), removedAt: now.toISOString() }
  const removedVersions = [...(data.removedVersions ?? []), ...(isRemoved ? [removal] : [])]
  return removeNext({ ...deployment, data: { ...data, removedVersions } }, progress.toRemove?.slice(1) ?? [], now)
}

/** Continues after the cloud refused to delete the next version; ends if the permission is missing for all of them. */
export function onRemovalRejected(deployment: LambdaState, { name, message }: CloudRejection, now: Date): LambdaState {
  if (deployment.progress.step !== 'remove' || name.startsWith('AccessDenied')) {
    return endWithOldVersions(deployment, message, now)
  }
  const reason = `Version ${nextToRemove(deployment)} was not deleted: ${message}`
  return onVersionRemoved(note(deployment, 'CLEAN_UP', now, { message: reason }), false, now)
}

/** Ends a successful release although not every old version was deleted. The next release deletes them. */
export const endWithOldVersions = (deployment: LambdaState, why: string, now: Date): LambdaState =>
  endSuccessful(note(deployment, 'CLEAN_UP', now, { message: `Older versions were not all deleted: ${why}` }), now)
