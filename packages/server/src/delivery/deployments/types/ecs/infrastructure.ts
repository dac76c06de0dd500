import { EcsDeploy } from '@sluice/contract'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { Default } from 'typebox/value'
import type { TrafficShift } from '../../../../cloud/facts/ecs.ts'
import { present } from '../../../../platform/present.ts'
import type { EcsRelease } from './release.ts'

/** Configuration of a service in a deploy block that does not depend on the release. */
export type EcsService = Omit<EcsRelease, 'cloudAccountId' | 'queue' | 'taskDefinition' | 'strategy'>

const { infrastructure, timeout } = EcsDeploy.properties
const ServiceParts = Type.Object({ infrastructure, timeout })
const reader = Compile(ServiceParts)

/** Reads the service from the parts of a block that name it; undefined if they do not. */
export function readService(parts: unknown): EcsService | undefined {
  const filled = Default(ServiceParts, parts)
  if (!reader.Check(filled)) return undefined
  const { infrastructure, timeout: timeoutSeconds } = filled
  return present({
    type: 'cloud:ecs' as const,
    region: regionAndAccountOf(infrastructure.ecs_service_arn).region,
    clusterArn: infrastructure.ecs_cluster_arn,
    serviceArn: infrastructure.ecs_service_arn,
    trafficShift: trafficShiftOf(infrastructure),
    timeoutSeconds,
  })
}

/** Parses `arn:PARTITION:ecs:REGION:ACCOUNT:service/CLUSTER/NAME`. */
export function regionAndAccountOf(serviceArn: string): { region: string; accountNumber: string } {
  const [, , , region = '', accountNumber = ''] = serviceArn.split(':')
  return { region, accountNumber }
}

/** Returns the target groups and listener rules between which traffic shifts; undefined if the block has none. */
export function trafficShiftOf(infrastructure: EcsDeploy['infrastructure']): TrafficShift | undefined {
  const {
    ecs_target_group_arn: targetGroupArn,
    ecs_alternate_target_group_arn: alternateTargetGroupArn,
    ecs_production_listener_rule_arn: productionListenerRuleArn,
    ecs_test_listener_rule_arn: testListenerRuleArn,
    ecs_infrastructure_role_arn: infrastructureRoleArn,
  } = infrastructure
  if (!targetGroupArn || !alternateTargetGroupArn || !productionListenerRuleArn || !infrastructureRoleArn) {
    return undefined
  }
  const shift = { targetGroupArn, alternateTargetGroupArn, productionListenerRuleArn, infrastructureRoleArn }
  return { ...shift, ...present({ testListenerRuleArn }) }
}
