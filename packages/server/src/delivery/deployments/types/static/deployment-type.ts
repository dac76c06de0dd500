import type { StaticDeploy, StaticDeploymentData } from '@sluice/contract'
import { present } from '../../../../platform/present.ts'
import type { Beginning, Kind, Origin, Replay } from '../deployment-type.ts'
import { releaseOf } from './block.ts'
import {
  cancelled,
  changesCloud,
  expired,
  freshProgress,
  nextAction,
  onlyReads,
  refused,
  type StaticCloudAction,
  started,
} from './machine.ts'
import type { StaticRelease } from './release.ts'
import type { StaticStanding } from './state.ts'
import { note, trackOf } from './track.ts'

/** Deployment type for static sites behind a content delivery network. */
export const staticSite: Kind<StaticStanding, StaticCloudAction, StaticDeploy> = {
  type: 'cloud:static',
  releaseOf,
  begin,
  replay,
  trackOf,
  note,
  started,
  nextAction,
  changesCloud,
  onlyReads,
  expired,
  refused,
  cancelled,
  continued: () => ({ verdict: 'not-paused' }),
}

/**
 * Returns a release that serves the same directory again, without a check of its content, so that a rollback is always
 * possible.
 */
function replay({ release }: StaticStanding, as: Replay) {
  const { contentDigest: _, ...asItIs } = release
  return { release: as === 'rollback' ? asItIs : release, known: {} }
}

function begin(release: StaticRelease, { channel, triggeredBy }: Origin): Beginning<StaticStanding> {
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
