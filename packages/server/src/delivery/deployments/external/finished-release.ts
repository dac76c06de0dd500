import type { UserFacingError } from '@sluice/contract'
import type { DeploymentState } from '../execution/state.ts'
import type { Release } from '../types/release.ts'

/** Finished external deployment, with what the cloud reports of it. */
export type FinishedRelease<R extends Release = Release> = {
  release: R
  /** Known data, in addition to the initial data of every deployment. */
  data: Partial<DeploymentState['data']>
  externalDeploymentId?: string
  message: string
  error?: UserFacingError
}
