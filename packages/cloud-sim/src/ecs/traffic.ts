import type { LoadBalancer } from '@aws-sdk/client-ecs'
import { findRule, setWeights, weightsIn } from '../elb/weights.ts'
import type { World } from '../world.ts'
import { phaseOf, weightsOf } from './rollout.ts'
import type { ServiceDeployment } from './service-records.ts'
import type { Stage } from './stages.ts'
import { ecs } from './state.ts'

/** The stages at which the cloud writes listener rules; at all others they stay as they are, whoever wrote them. */
const shiftingStages: readonly (Stage | undefined)[] = [
  'RECONCILE_SERVICE',
  'TEST_TRAFFIC_SHIFT',
  'PRODUCTION_TRAFFIC_SHIFT',
  'REPLACE_TASKS',
]

/** Writes the weights of a deployment's present phase into the listener rules of its service's load balancers. */
export function shiftTraffic(world: World, deployment: ServiceDeployment): void {
  if (!shiftingStages.includes(phaseOf(deployment.rollout)?.stage)) return
  const target = ecs(world).revisions.get(deployment.target)
  const { production, test } = weightsOf(deployment.rollout)
  for (const [index, loadBalancer] of (target?.spec.loadBalancers ?? []).entries()) {
    const targetGroup = target?.targetGroups[index]
    if (!targetGroup || !loadBalancer.advancedConfiguration) continue
    const { productionListenerRule, testListenerRule } = loadBalancer.advancedConfiguration
    share(world, deployment, productionListenerRule, production, loadBalancer, targetGroup)
    share(world, deployment, testListenerRule, test, loadBalancer, targetGroup)
  }
}

function share(
  world: World,
  { base, rollout }: ServiceDeployment,
  rule: string | undefined,
  percent: number,
  { targetGroupArn = '', advancedConfiguration }: LoadBalancer,
  ours: string,
): void {
  const alternate = advancedConfiguration?.alternateTargetGroupArn
  if (!rule || !alternate) return
  const isRolling = rollout.strategy === 'ROLLING' // both revisions stand behind one target group
  if (!isRolling && !base && percent === 0) return // a first deployment: nobody else could take the traffic
  setWeights(world, rule, inPercent(ours, isRolling ? 100 : percent, targetGroupArn, alternate))
}

/** Rule weights are whole numbers up to 999: a tenth of a percent needs weights out of a thousand. */
function inPercent(ours: string, percent: number, first: string, second: string): Map<string, number> {
  const scale = Number.isInteger(percent) ? 1 : 10
  const weight = Math.round(percent * scale)
  const of = (arn: string) => (arn === ours ? weight : 100 * scale - weight)
  return new Map([first, second].map((arn) => [arn, of(arn)]))
}

/**
 * Returns why traffic cannot be shifted from where the listener rules send it when a deployment begins, in the cloud's
 * words. (Developer guide, "Troubleshooting Amazon ECS blue/green deployments", read 2026-11.)
 */
export function invalidNetworking(world: World, { target, rollout }: ServiceDeployment): string | undefined {
  // After RECONCILE_SERVICE, which comes first where it comes at all, the cloud has written them itself.
  const isAtStart = rollout.status === 'IN_PROGRESS' && rollout.at === 0 && phaseOf(rollout)?.stage === 'PRE_SCALE_UP'
  if (!isAtStart) return undefined
  const loadBalancers = ecs(world).revisions.get(target)?.spec.loadBalancers ?? []
  const [problem] = loadBalancers.flatMap((loadBalancer) => routingProblem(world, loadBalancer) ?? [])
  return problem && `Service deployment rolled back because of invalid networking configuration. ${problem}`
}

function routingProblem(world: World, { targetGroupArn = '', advancedConfiguration }: LoadBalancer) {
  const {
    alternateTargetGroupArn = '',
    productionListenerRule = '',
    testListenerRule = '',
  } = advancedConfiguration ?? {}
  const weights = weightsOfRule(world, productionListenerRule)
  const pair = [targetGroupArn, alternateTargetGroupArn]
  const serving = Object.keys(weights).filter((arn) => (weights[arn] ?? 0) > 0)
  const unexpected = serving.find((arn) => !pair.includes(arn))
  if (unexpected) {
    return `Production listener rule is forwarding traffic to unexpected target group ${unexpected}. Expected traffic to be forwarded to either targetGroupArn: ${targetGroupArn} or alternateTargetGroupArn: ${alternateTargetGroupArn}`
  }
  if (serving.length !== 1) {
    return `productionListenerRule ${productionListenerRule} should have exactly one target group serving traffic but found ${serving.length} target groups which are serving traffic`
  }
  const associated = [...Object.keys(weights), ...Object.keys(weightsOfRule(world, testListenerRule))]
  const missing = pair.find((arn) => !associated.includes(arn))
  return missing && `Target group ${missing} is not associated with either productionListenerRule or testListenerRule.`
}

function weightsOfRule(world: World, arn: string): Record<string, number> {
  const rule = findRule(world, arn)
  return rule ? weightsIn(rule) : {}
}
