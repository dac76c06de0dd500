import type { Ec2Deploy, Ec2DeploymentData } from '@sluice/contract'
import type { InitialState, Origin, TypeDefinition } from '../deployment-type.ts'
import { releaseOf } from './block.ts'
import { cancel, onDeadline, onRejected } from './endings.ts'
import { changesCloud, type Ec2CloudAction, freshProgress, nextAction, onlyReads, start } from './machine.ts'
import type { Ec2Release } from './release.ts'
import type { Ec2State } from './state.ts'
import { note, trackOf } from './track.ts'

/** Deployment type for groups of EC2 instances. */
export const ec2: TypeDefinition<Ec2State, Ec2CloudAction, Ec2Deploy> = {
  type: 'cloud:ec2',
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
  continueAfterPause: () => ({ verdict: 'not-paused' }), // the cloud has no pauses for this type
}

/** Returns the release with the digest of its image, because the tag may refer to another image by now. */
function replay({ release, data }: Ec2State) {
  const { imageUri } = data.deployedRelease ?? {}
  const { definition } = release
  if (definition.runtime !== 'container' || imageUri === undefined) return { release, known: {} }
  return { release: { ...release, definition: { ...definition, imageUri } }, known: {} }
}

function begin(
  { type, region, autoScalingGroupName }: Ec2Release,
  { channel, triggeredBy }: Origin,
): InitialState<Ec2State> {
  const data: Ec2DeploymentData = {
    type,
    region,
    autoScalingGroupName,
    detectedVia: 'SERVICE',
    initiationType: 'SERVICE',
    strategy: 'rolling',
    triggerChannel: channel,
    triggeredBy,
    events: [],
  }
  return { resourceName: autoScalingGroupName, data, progress: freshProgress }
}
