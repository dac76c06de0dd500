import type { LoadBalancer } from '@aws-sdk/client-ecs'
import { findRule, setWeights, weightsIn } from '../elb/weights.ts'
import type { World } from '../world.ts'
import { phaseOf, weightsOf } from './rollout.ts'
import type { ServiceDeployment } from './service-records.ts'
import type { Stage } from './stages.ts'
import { ecs } from './state.ts'

/** Stages in which ECS writes listener rules; in all others it leaves them unchanged. */
const shiftingStages: readonly (Stage | undefined)[] = [
  'RECONCILE_SERVICE',
  'TEST_TRAFFIC_SHIFT',
  'PRODUCTION_TRAFFIC_SHIFT',
  'REPLACE_TASKS',
]

/** Writes the weights of a deployment's current phase to the service's listener rules. */
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
  const isRolling = rollout.strategy === 'ROLLING' // both revisions share one target group
  if (!isRolling && !base && percent === 0) return // on a first deployment, no other revision could take the traffic
  setWeights(world, rule, inPercent(ours, isRolling ? 100 : percent, targetGroupArn, alternate))
}

/** Returns rule weights, which are integers up to 999. Tenths of a percent need weights out of a thousand. */
function inPercent(ours: string, percent: number, first: string, second: string): Map<string, number> {
  const scale = Number.isInteger(percent) ? 1 : 10
  const weight = Math.round(percent * scale)
  const of = (arn: string) => (arn === ours ? weight : 100 * scale - weight)
  return new Map([first, second].map((arn) => [arn, of(arn)]))
}

/**
 * Returns AWS's message if traffic cannot be shifted from the current listener rules at the start of a deployment.
 * (Developer guide, "Troubleshooting Amazon ECS blue/green deployments", read 2026-11.)
 */
export function invalidNetworking(world: World, { target, rollout }: ServiceDeployment): string | undefined {
  // After RECONCILE_SERVICE, if present, ECS itself has written the rules.
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
