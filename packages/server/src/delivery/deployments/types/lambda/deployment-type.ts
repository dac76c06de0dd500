import type { LambdaDeploy, LambdaDeploymentData } from '@sluice/contract'
import { withoutDigest } from '../../../../cloud/facts/images.ts'
import { present } from '../../../../platform/present.ts'
import { continueAfterPause } from '../../execution/pauses.ts'
import type { InitialState, Origin, Replay, TypeDefinition } from '../deployment-type.ts'
import { releaseOf } from './block.ts'
import {
  cancel,
  changesCloud,
  freshProgress,
  type LambdaCloudAction,
  nextAction,
  onDeadline,
  onlyReads,
  onRejected,
  start,
} from './machine.ts'
import type { LambdaRelease } from './release.ts'
import type { LambdaState } from './state.ts'
import { afterPause, hookLabel, note, trackOf } from './track.ts'

/** Deployment type for functions. */
export const lambda: TypeDefinition<LambdaState, LambdaCloudAction, LambdaDeploy> = {
  type: 'cloud:lambda',
  releaseOf,
  begin,
  replay,
  trackOf,
  note,
  start,
  nextAction,
  changesCloud,
  onlyReads,
  onDeadline,
  onRejected,
  cancel,
  continueAfterPause: (deployment, wish, now) => continueAfterPause(deployment, wish, hookLabel, now),
  afterPause,
  pausesTimeOut: 'BY_SLUICE',
}

function begin(release: LambdaRelease, { channel, triggeredBy }: Origin): InitialState<LambdaState> {
  const { type, functionArn, aliasName, code, strategy } = release
  const data: LambdaDeploymentData = {
    type,
    functionArn,
    aliasName,
    ...code,
    detectedVia: 'SERVICE',
    initiationType: 'SERVICE',
    strategy: strategy.type,
    triggerChannel: channel,
    triggeredBy,
    events: [],
  }
  const resourceName = functionArn.split(':').at(-1) ?? functionArn
  return { resourceArn: functionArn, resourceName, data, progress: freshProgress }
}

/** Returns a release that uses the same version. If none was published, it publishes the same code. */
function replay({ release, data }: LambdaState, as: Replay) {
  const { version, codeSha256, resolvedImageUri } = data
  // The image's tag may refer to another image by now.
  const code = withDigest(release.code, resolvedImageUri)
  const again = { ...(as === 'rollback' ? withoutDetours(release) : release), ...present({ code }) }
  if (version === undefined || codeSha256 === undefined) return { release: again, known: {} }
  return { release: { ...again, version: { version, codeSha256 } }, known: { version, codeSha256 } }
}

/** Adds the digest to an image reference that has a tag. */
function withDigest(code: LambdaRelease['code'], resolvedImageUri: string | undefined): LambdaRelease['code'] {
  const digest = resolvedImageUri?.split('@')[1]
  if (digest === undefined || (code !== undefined && !('imageUri' in code))) return code
  return { imageUri: `${withoutDigest(code?.imageUri ?? resolvedImageUri ?? '')}@${digest}` }
}

/**
 * Returns a release without steps, bakes, pauses and analysis. Deletes no versions, so that another rollback remains
 * possible.
 */
const withoutDetours = ({ analysis: _, keepReleases: __, ...release }: LambdaRelease): LambdaRelease => ({
  ...release,
  strategy: { type: 'all_at_once', bakeTimeInMinutes: 0, pauseStages: [] },
})
