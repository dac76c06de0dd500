import type { UserFacingError } from '@sluice/contract'
import type { Standing } from '../execution/state.ts'
import type { Release } from '../types/release.ts'

/** A release from outside that is over, as far as the cloud tells of it. */
export type EndedRelease<R extends Release = Release> = {
  release: R
  /** What is known of it, beside what every deployment of the release begins with. */
  data: Partial<Standing['data']>
  externalDeploymentId?: string
  message: string
  error?: UserFacingError
}
