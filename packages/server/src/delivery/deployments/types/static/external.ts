import type { StaticDeploymentData } from '@sluice/contract'
import { present } from '../../../../platform/present.ts'
import type { FinishedRelease } from '../../external/finished-release.ts'
import type { StaticRelease } from './release.ts'

type Known = { status: string; data: StaticDeploymentData }

/**
 * Reports whether another actor chose the served directory. A failed deployment may have left either of its
 * directories.
 */
export function isChosenExternally({ status, data }: Known, active: string | undefined): active is string {
  if (active === undefined) return false
  return status === 'SUCCESS' ? active !== data.prefix : ![data.prefix, data.previousPrefix].includes(active)
}

/** Returns the finished external deployment: another directory is served. */
export function finishedExternally(
  release: StaticRelease,
  { status, data }: Known,
  active: string,
  now: Date,
): FinishedRelease<StaticRelease> {
  return {
    release: { ...release, prefix: active },
    data: present({
      previousPrefix: status === 'SUCCESS' ? data.prefix : data.previousPrefix,
      promotedAt: now.toISOString(),
    }),
    message: `The directory ${active} was found to be served.`,
  }
}
