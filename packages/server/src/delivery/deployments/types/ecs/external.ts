import type { DetectionChannel, EcsDeploymentData } from '@sluice/contract'
import type { ExternalDeployment } from '../../../../cloud/facts/ecs.ts'
import { present } from '../../../../platform/present.ts'
import type { InitialState, Origin } from '../deployment-type.ts'
import { ecs } from './deployment-type.ts'
import type { EcsRelease } from './release.ts'
import type { EcsState } from './state.ts'

/** Parts of a release that the cloud does not report. */
export type FollowedRelease = Omit<EcsRelease, 'cloudAccountId' | 'taskDefinition' | 'strategy'>

/** Returns a deployment that follows an external deployment from its current state. */
export function followExternal(
  followed: FollowedRelease,
  found: ExternalDeployment,
  { cloudAccountId, id, detectedVia }: { cloudAccountId: string; id: string; detectedVia: DetectionChannel },
): { release: EcsRelease } & InitialState<EcsState> {
  const { trafficShift, ...rest } = followed
  const shifts = found.strategy.type === 'rolling' ? undefined : trafficShift
  const taskDefinition = { reuse: { arn: found.taskDefinition.arn } }
  const release: EcsRelease = {
    ...rest,
    ...present({ trafficShift: shifts }),
    cloudAccountId,
    taskDefinition,
    strategy: found.strategy,
  }
  const origin: Origin = { id, channel: 'CLOUD_EVENT', triggeredBy: '' }
  const beginning = ecs.begin(release, origin)
  const { triggeredBy: _, ...data }: EcsDeploymentData = beginning.data // the event does not report who started it
  const { arn: taskDefinitionArn } = found.taskDefinition
  return {
    ...beginning,
    release,
    data: {
      ...data,
      detectedVia,
      initiationType: found.isTurnedBack ? 'AUTOMATIC' : 'EXTERNAL',
      serviceDeploymentArn: found.serviceDeploymentArn,
      deployedTaskDefinition: found.taskDefinition,
      ...present({ previousTaskDefinition: found.previous }),
    },
    progress: { ...beginning.progress, step: 'observe', taskDefinitionArn, shiftedPairs: found.trafficShifts },
  }
}
