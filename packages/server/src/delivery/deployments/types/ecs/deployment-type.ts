import type { EcsDeploy, EcsDeploymentData } from '@sluice/contract'
import { present } from '../../../../platform/present.ts'
import { continueAfterPause } from '../../execution/pauses.ts'
import type { InitialState, Origin, Replay, TypeDefinition } from '../deployment-type.ts'
import { releaseOf } from './block.ts'
import {
  cancel,
  changesCloud,
  type EcsCloudAction,
  freshProgress,
  nextAction,
  onDeadline,
  onlyReads,
  onRejected,
  start,
} from './machine.ts'
import type { EcsRelease } from './release.ts'
import { withoutOptionalStages } from './revert.ts'
import type { EcsState } from './state.ts'
import { afterPause, hookLabel, note, trackOf } from './track.ts'

/** Deployment type for container services. */
export const ecs: TypeDefinition<EcsState, EcsCloudAction, EcsDeploy> = {
  type: 'cloud:ecs',
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
}

function begin(release: EcsRelease, { id, channel, triggeredBy }: Origin): InitialState<EcsState> {
  const { type, clusterArn, serviceArn, strategy } = release
  const data: EcsDeploymentData = {
    type,
    clusterArn,
    serviceArn,
    ecsModuleDeploymentId: id,
    detectedVia: 'SERVICE',
    initiationType: 'SERVICE',
    strategy: strategy.type,
    preDeployEnabled: release.preDeploy !== undefined,
    postDeployEnabled: release.postDeploy !== undefined,
    triggerChannel: channel,
    triggeredBy,
    events: [],
  }
  const resourceName = serviceArn.split('/').at(-1) ?? serviceArn
  return { resourceArn: serviceArn, resourceName, data, progress: freshProgress }
}

/**
 * Returns a release that uses the same task definition. If none was registered, it repeats the request to register it.
 */
function replay({ release: { isRollback: _, ...release }, data }: EcsState, as: Replay) {
  const { deployedTaskDefinition } = data
  const { taskDefinition: before } = release
  const register = 'register' in before ? before.register : before.reuse.register
  const taskDefinition = deployedTaskDefinition
    ? { reuse: present({ arn: deployedTaskDefinition.arn, register }) }
    : before
  const again = { ...release, taskDefinition }
  const known = present({ deployedTaskDefinition })
  return as === 'rollback'
    ? { release: { ...withoutOptionalStages(again), isRollback: true }, known }
    : { release: again, known }
}
