import type { UserFacingError } from '@sluice/contract'
import type { Release } from './release.ts'
import type { Standing } from './standing.ts'

/** A release from outside that is over, as far as the cloud tells of it. */
export type EndedRelease<R extends Release = Release> = {
  release: R
  /** What is known of it, beside what every deployment of the release begins with. */
  data: Partial<Standing['data']>
  externalDeploymentId?: string
  message: string
  error?: UserFacingError
}
