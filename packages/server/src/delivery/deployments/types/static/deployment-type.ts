import type { StaticDeploy, StaticDeploymentData } from '@sluice/contract'
import { present } from '../../../../platform/present.ts'
import type { InitialState, Origin, Replay, TypeDefinition } from '../deployment-type.ts'
import { releaseOf } from './block.ts'
import {
  cancel,
  changesCloud,
  freshProgress,
  nextAction,
  onDeadline,
  onlyReads,
  onRejected,
  type StaticCloudAction,
  start,
} from './machine.ts'
import type { StaticRelease } from './release.ts'
import type { StaticState } from './state.ts'
import { note, trackOf } from './track.ts'

/** Deployment type for static sites behind a content delivery network. */
export const staticSite: TypeDefinition<StaticState, StaticCloudAction, StaticDeploy> = {
  type: 'cloud:static',
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
  continueAfterPause: () => ({ verdict: 'not-paused' }),
}

/**
 * Returns a release that serves the same directory again, without a check of its content, so that a rollback is always
 * possible.
 */
function replay({ release }: StaticState, as: Replay) {
  const { contentDigest: _, ...asItIs } = release
  return { release: as === 'rollback' ? asItIs : release, known: {} }
}

function begin(release: StaticRelease, { channel, triggeredBy }: Origin): InitialState<StaticState> {
  const { type, bucket, region, prefix, keyValueStoreArn, invalidationPaths, keepReleases } = release
  const [{ id: distributionId }] = release.distributions
  const data: StaticDeploymentData = {
    type,
    bucket,
    region,
    prefix,
    keyValueStoreArn,
    distributionId,
    distributions: release.distributions.map(({ id, arn }) => ({ distributionId: id, arn })),
    invalidationPaths,
    ...present({ keepLatestSuccessfulDeployCount: keepReleases }),
    detectedVia: 'SERVICE',
    initiationType: 'SERVICE',
    triggerChannel: channel,
    triggeredBy,
    events: [],
  }
  return { resourceArn: distributionId, resourceName: distributionId, data, progress: freshProgress }
}
