import type { DeploymentData } from '@sluice/contract'
import { releaseRecordOf } from '@sluice/contract/release-record'
import { type Difference, differencesOf } from '../ui/differences.ts'

/** Returns the recorded differences between two releases. */
export const releaseDifferences = (
  before: DeploymentData | undefined,
  after: DeploymentData | undefined,
): Difference[] => differencesOf(releaseRecordOf(before), releaseRecordOf(after))
