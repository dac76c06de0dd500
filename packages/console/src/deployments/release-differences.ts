import type { DeploymentData } from '@sluice/contract'
import { releaseRecordOf } from '@sluice/contract/release-record'
import { type Difference, differencesOf } from '../ui/differences.ts'

/** What one release has otherwise than another, of what is recorded of both. */
export const releaseDifferences = (
  before: DeploymentData | undefined,
  after: DeploymentData | undefined,
): Difference[] => differencesOf(releaseRecordOf(before), releaseRecordOf(after))
