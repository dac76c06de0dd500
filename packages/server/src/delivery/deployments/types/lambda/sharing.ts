import { failures, type UserFacingError } from '@sluice/contract'
import type { SharingFacts, VersionIdentity } from '../../../../cloud/facts/lambda.ts'
import { lookAtFunction } from './failures.ts'
import type { LambdaRelease } from './release.ts'
import { sharesOf } from './track.ts'

/** Reports whether the alias splits traffic between two versions during the release. */
export const usesWeightedRouting = ({ strategy }: LambdaRelease): boolean =>
  sharesOf(strategy).some((share) => share < 100)

/**
 * Returns why the alias does not support weighted routing. Without this check, the cloud would reject the first shift,
 * after the code is published. ("Using weighted aliases" and "Configuring provisioned concurrency" of the Lambda guide,
 * read 2026-11.)
 */
export function weightedRoutingBlocker(
  release: LambdaRelease,
  running: string,
  { isProvisioned, running: one, next }: SharingFacts,
): UserFacingError | undefined {
  const { aliasName } = release
  if (running === '$LATEST') {
    return rejection(release, `the alias ${aliasName} is at $LATEST, which cannot share them with a version`, {
      remedy: 'Move the alias to a published version, or release with the strategy all_at_once.',
    })
  }
  if (isProvisioned) {
    return rejection(release, `provisioned concurrency is configured on the alias ${aliasName}`, {
      remedy: 'Release with the strategy all_at_once, or remove the provisioned concurrency from the alias.',
    })
  }
  const differing = differenceOf(one, next)
  if (differing === undefined) return undefined
  return rejection(release, `version ${running}, which it has now, has another ${differing}`, {
    remedy: `Release once with the strategy all_at_once; afterwards both versions have the same ${differing}.`,
  })
}

function differenceOf(one: VersionIdentity, other: VersionIdentity): string | undefined {
  if (one.role !== other.role) return 'execution role'
  if (one.deadLetterTarget !== other.deadLetterTarget) return 'dead-letter queue'
  return undefined
}

const rejection = (release: LambdaRelease, why: string, { remedy }: { remedy: string }): UserFacingError => ({
  code: failures.callsNotShared.code,
  message: `The alias cannot share its calls between two versions, as the strategy ${release.strategy.type} does: ${why}.`,
  description: `Nothing was published. ${remedy}`,
  action: lookAtFunction(release),
})
