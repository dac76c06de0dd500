import type { Deployment } from '@sluice/contract'

type Release = Pick<Deployment, 'id' | 'deploymentType'>

/**
 * Of releases that succeeded, newest first: the one that runs, and those that can be gone back to. Only one of the same
 * type can.
 */
export function earlierReleases<Kind extends Release>(
  succeeded: readonly Kind[],
  runningId: string | undefined,
): { live: Kind | undefined; earlier: Kind[] } {
  const live = succeeded.find(({ id }) => id === runningId) ?? succeeded[0]
  if (!live) return { live, earlier: [] }
  const before = succeeded.slice(succeeded.indexOf(live) + 1)
  return { live, earlier: before.filter(({ deploymentType }) => deploymentType === live.deploymentType) }
}
