import type { LambdaDeploymentData } from '@sluice/contract'
import { type AliasState, describeRouting, type VersionFacts } from '../../../../cloud/facts/lambda.ts'
import { present } from '../../../../platform/present.ts'
import type { FinishedRelease } from '../../external/finished-release.ts'
import type { LambdaRelease } from './release.ts'
import { observedAliasData } from './transitions.ts'

type Known = { status: string; data: LambdaDeploymentData }

/**
 * Reports whether the alias was moved externally since the last deployment. A weighted alias is still being changed. A
 * failed deployment may have left the alias at either of its versions.
 */
export function isMovedExternally({ status, data }: Known, alias: AliasState): boolean {
  const { aliasState, version, previousVersion } = data
  if (aliasState === undefined || alias.revisionId === aliasState.revisionId) return false
  if (alias.additionalVersion !== undefined) return false
  const ours = status === 'SUCCESS' ? [aliasState.version] : [aliasState.version, version, previousVersion]
  return !ours.includes(alias.version)
}

/** Returns the finished external deployment: all calls go to another version. */
export function finishedExternally(
  release: LambdaRelease,
  { data }: Known,
  { alias, facts }: { alias: AliasState; facts: VersionFacts },
  now: Date,
): FinishedRelease<LambdaRelease> {
  const { version, codeSha256, resolvedImageUri } = facts
  const { analysis: _, ...rest } = release
  return {
    release: {
      ...rest,
      version: { version, codeSha256 },
      strategy: { type: 'all_at_once', bakeTimeInMinutes: 0, pauseStages: [] },
    },
    data: present({
      version,
      codeSha256,
      resolvedImageUri,
      previousVersion: data.aliasState?.version,
      aliasState: observedAliasData(alias, now),
    }),
    externalDeploymentId: `${release.functionArn}:${version}`,
    message: `The alias ${release.aliasName} was found at ${describeRouting(alias)}.`,
  }
}
