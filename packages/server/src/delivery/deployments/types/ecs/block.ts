import type { EcsDeploy } from '@sluice/contract'
import type { EcsStrategy } from '../../../../cloud/facts/ecs.ts'
import { present } from '../../../../platform/present.ts'
import { analysisOf } from '../../analysis/block.ts'
import type { ReleaseWithAccount } from '../deployment-type.ts'
import { pausesOf, stepsOf } from '../traffic-shift.ts'
import { cloudRequest } from './cloud-request.ts'
import { commandOf } from './command-block.ts'
import { regionAndAccountOf, trafficShiftOf } from './infrastructure.ts'
import type { EcsState } from './state.ts'

/** Returns the release of a deploy block, and its account. */
export function releaseOf(deploy: EcsDeploy): ReleaseWithAccount<EcsState> {
  const { infrastructure, pre_deploy, post_deploy, analysis } = deploy
  const { region, accountNumber } = regionAndAccountOf(infrastructure.ecs_service_arn)
  const strategy = strategyOf(deploy.strategy)
  const app = deploy.task_definition.container_definitions[0]?.name ?? ''
  return {
    accountNumber,
    release: present({
      type: 'cloud:ecs' as const,
      region,
      clusterArn: infrastructure.ecs_cluster_arn,
      serviceArn: infrastructure.ecs_service_arn,
      taskDefinition: { register: cloudRequest(deploy.task_definition) },
      trafficShift: strategy.type === 'rolling' ? undefined : trafficShiftOf(infrastructure),
      strategy,
      preDeploy: pre_deploy && commandOf(pre_deploy, app),
      postDeploy: post_deploy && { ...commandOf(post_deploy, app), failureAction: post_deploy.failure_action },
      alarms: deploy.alarms,
      analysis: analysis && analysisOf(analysis),
      timeoutSeconds: deploy.timeout,
    }),
  }
}

function strategyOf(strategy: EcsDeploy['strategy']): EcsStrategy {
  const { type, bake_time_in_minutes: bakeTimeInMinutes } = strategy
  if (type === 'rolling') return { type }
  return { type, bakeTimeInMinutes, ...stepsOf(strategy), pauseStages: pausesOf(strategy) }
}
