import { failures, type UserFacingError } from '@sluice/contract'
import { consoleUrl, homeRegionOf } from '../../../../cloud/facts/partition.ts'
import { present } from '../../../../platform/present.ts'
import type { StaticRelease } from './release.ts'

export function releaseMissing({ bucket, prefix }: StaticRelease): UserFacingError {
  return {
    code: failures.releaseMissing.code,
    message: `The directory ${prefix} of the bucket ${bucket} is empty or not there.`,
    description:
      'Upload the release before it is deployed. Directories of older releases are deleted beyond deploy.definition.keep_latest_successful_deploy_count of the module version.',
  }
}

export function releaseHalfRemoved({ bucket, prefix }: StaticRelease): UserFacingError {
  return {
    code: failures.releaseMissing.code,
    message: `The directory ${prefix} of the bucket ${bucket} is not whole: its deletion was begun after a newer release.`,
    description: 'Build and upload the release again, into a new directory, and deploy that.',
  }
}

/** Returns the error of a promotion whose files have changed since they ran in the source environment. */
export function releaseChanged({ bucket, prefix }: StaticRelease): UserFacingError {
  return {
    code: failures.releaseMissing.code,
    message: `The directory ${prefix} of the bucket ${bucket} no longer contains the files that ran in the source environment.`,
    description:
      'Files were added, removed or overwritten. Upload each release to a separate directory. Deploy the current files in the source environment, then promote that deployment.',
  }
}

/** Returns the error if another actor set the store's key during the release. */
export function changedExternally(
  release: StaticRelease,
  expected: string | undefined,
  active: string | undefined,
): UserFacingError {
  return {
    code: failures.targetChanged.code,
    message: `The active directory was changed outside of this release, from ${named(expected)} to ${named(active)}. That change was kept.`,
    description: 'Find out who writes the key `active` of the key value store, then deploy again.',
    details: [
      {
        title: 'Key value store',
        render: 'object',
        object: present({ store: release.keyValueStoreArn, key: 'active', expected, found: active }),
      },
    ],
  }
}

const named = (prefix: string | undefined): string => prefix ?? 'none'

export function finishedBeforeCancel(): UserFacingError {
  return {
    code: failures.cancelTooLate.code,
    message: 'The release was live everywhere before it was cancelled; only older directories were being deleted.',
    description: 'To return to the release before, roll back.',
  }
}

export function timedOut(release: StaticRelease): UserFacingError {
  return {
    code: failures.timedOut.code,
    message: `The deployment did not finish within its timeout of ${release.timeoutSeconds} s.`,
    description: 'Raise deploy.timeout in the module version if it needs longer.',
    action: lookAtDistribution(release),
  }
}

export function rollbackTimedOut(release: StaticRelease): UserFacingError {
  return {
    code: failures.rollbackTimedOut.code,
    message: `The rollback did not finish within ${release.timeoutSeconds} s; either release may be served.`,
    action: lookAtDistribution(release),
  }
}

/** Returns the error if the cloud rejects reads, so that the served directory is unknown. */
export function observationRejected(release: StaticRelease, reason: string): UserFacingError {
  return {
    code: failures.cloudRefused.code,
    message: `The release could no longer be observed: ${reason}`,
    description: 'Check what the key `active` of the key value store says, and the permissions of the connected role.',
    action: lookAtDistribution(release),
  }
}

export function rollbackFailed(release: StaticRelease, reason: string): UserFacingError {
  return {
    code: failures.rollbackFailed.code,
    message: `The directory served before could not be put back: ${reason}`,
    action: lookAtDistribution(release),
  }
}

function lookAtDistribution({ distributions: [{ id, arn }] }: StaticRelease): { label: string; url: string } {
  return {
    label: 'Open the distribution in the cloud console',
    url: consoleUrl(homeRegionOf(arn), `cloudfront/v4/home#/distributions/${id}`),
  }
}
