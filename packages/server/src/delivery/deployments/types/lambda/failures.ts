import { failures, lastLinesTitle, type UserFacingError } from '@sluice/contract'
import { addressOf, describeRouting, type Routing, type VersionFacts } from '../../../../cloud/facts/lambda.ts'
import { consoleUrl } from '../../../../cloud/facts/partition.ts'
import type { CloudRejection } from '../deployment-type.ts'
import { codeToPublish, type LambdaRelease } from './release.ts'

export function finishedBeforeCancel(): UserFacingError {
  return {
    code: failures.cancelTooLate.code,
    message: 'The release was live before it was cancelled; only older versions were being deleted.',
    description: 'To return to the release before, roll back.',
  }
}

export function timedOut(release: LambdaRelease): UserFacingError {
  return {
    code: failures.timedOut.code,
    message: `The deployment did not finish within its timeout of ${release.timeoutSeconds} s of work.`,
    description: 'Bake times and pauses do not count. Raise deploy.timeout in the module version if it needs longer.',
    action: lookAtFunction(release),
  }
}

export function rollbackTimedOut(release: LambdaRelease): UserFacingError {
  return {
    code: failures.rollbackTimedOut.code,
    message: `The alias could not be returned within ${release.timeoutSeconds} s; it may send calls to either version.`,
    action: lookAtFunction(release),
  }
}

export function rollbackFailed(release: LambdaRelease, before: Routing, no: CloudRejection): UserFacingError {
  return {
    code: failures.rollbackFailed.code,
    message: `The alias ${release.aliasName} could not be returned to ${describeRouting(before)}: ${no.message}`,
    description: 'It may send calls to either version. Grant what the cloud asks for, or move the alias manually.',
    action: lookAtFunction(release),
  }
}

export function pauseTimedOut(stage: string | undefined): UserFacingError {
  return {
    code: failures.pauseTimedOut.code,
    message: `No one continued the pause at ${stage} in time, so the release was rolled back.`,
  }
}

/** Returns the error for code that the cloud accepted but could not use. */
export function codeFailed(release: LambdaRelease, { updateReason }: VersionFacts): UserFacingError {
  return {
    code: failures.codeUpdateFailed.code,
    message: `The function could not be updated with the new code: ${updateReason ?? 'the cloud gave no reason'}`,
    description: 'The alias still runs the version before.',
    action: lookAtFunction(release),
  }
}

/** Returns the error for a deleted version whose code cannot be published again. */
export function releaseMissing(release: LambdaRelease, released: string, found: string): UserFacingError {
  return {
    code: failures.releaseMissing.code,
    message: `${addressOf(codeToPublish(release))} does not hold the code that was released before: that was ${released}, this is ${found}.`,
    description: 'The version of it is gone, too. The alias runs what it ran. Release a version that there is.',
    action: lookAtFunction(release),
    metadata: { expectedCodeSha256: released, foundCodeSha256: found },
  }
}

/** Returns the error for a deleted version of an imported function, whose code location the cloud does not report. */
export function versionGone(release: LambdaRelease): UserFacingError {
  return {
    code: failures.releaseMissing.code,
    message: `The version ${release.version?.version} is gone, and where its code is was never known: it ran when the function was imported.`,
    description: 'The alias runs what it ran. Release an archive or an image instead.',
    action: lookAtFunction(release),
  }
}

/** Returns the error for a published version that cannot start. */
export function versionFailed(release: LambdaRelease, { version, stateReason }: VersionFacts): UserFacingError {
  return {
    code: failures.versionFailed.code,
    message: `Version ${version} could not be started: ${stateReason ?? 'the cloud gave no reason'}`,
    description: 'The alias still runs the version before.',
    action: lookAtFunction(release),
  }
}

/** Returns the error if another actor updated the function's code before our version was published. */
export function codeChanged(release: LambdaRelease, ours: string, found: string): UserFacingError {
  return {
    code: failures.codeChanged.code,
    message: `The code of the function was updated outside of this release: the one of this release is ${ours}, the function has ${found}.`,
    description: 'Nothing was published, and the alias still runs the version before. Deploy again.',
    action: lookAtFunction(release),
    metadata: { expectedCodeSha256: ours, foundCodeSha256: found },
  }
}

/** Returns the error if another actor moved the alias, which is left unchanged. */
export function aliasChanged(release: LambdaRelease, left: Routing, found: Routing): UserFacingError {
  return {
    code: failures.aliasChanged.code,
    message: `The alias ${release.aliasName} was moved outside of this release: this release left it at ${describeRouting(left)}, and now it is at ${describeRouting(found)}.`,
    description: 'It was left as they made it. Find out who else releases this function, then deploy again.',
    action: lookAtFunction(release),
    metadata: { expectedVersion: left.version, foundVersion: found.version },
  }
}

/** Adds the version's last log lines to an error, in the same way as for a container. */
export function withLogLines(error: UserFacingError, version: string, lines: string[]): UserFacingError {
  if (lines.length === 0) return error
  const said = { title: lastLinesTitle, render: 'list' as const, items: lines }
  return {
    ...error,
    details: [said, ...(error.details ?? [])],
    metadata: { ...error.metadata, container: `version ${version}` },
  }
}

export function lookAtFunction({ region, functionArn, aliasName }: LambdaRelease): { label: string; url: string } {
  const name = functionArn.split(':').at(-1)
  return {
    label: 'Open the function in the cloud console',
    url: consoleUrl(region, `lambda/home?region=${region}#/functions/${name}/aliases/${aliasName}`),
  }
}
