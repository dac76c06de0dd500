import type { DeploymentStepCode } from '@sluice/contract'
import { createEventRecorder } from '../../execution/events.ts'
import type { StaticRelease } from './release.ts'
import type { StaticState } from './state.ts'

/** Returns the steps of a release from first to last. */
export function trackOf({ invalidationPaths, keepReleases }: StaticRelease): DeploymentStepCode[] {
  const invalidate: DeploymentStepCode[] = invalidationPaths.length > 0 ? ['INVALIDATE'] : []
  const cleanUp: DeploymentStepCode[] = keepReleases === undefined ? [] : ['CLEAN_UP']
  return ['INIT', 'PROMOTE', ...invalidate, ...cleanUp, 'COMPLETED']
}

export const { note, failed, abandoned } = createEventRecorder<StaticState>(({ release }) => trackOf(release))
