import type { UserFacingError } from '@sluice/contract'
import type { Standing } from '../execution/state.ts'
import type { Release } from '../types/release.ts'

/** Finished external deployment, with what the cloud reports of it. */
export type EndedRelease<R extends Release = Release> = {
  release: R
  /** Known data, in addition to the initial data of every deployment. */
  data: Partial<Standing['data']>
  externalDeploymentId?: string
  message: string
  error?: UserFacingError
}
