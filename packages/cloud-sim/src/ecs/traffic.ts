import type { LoadBalancer } from '@aws-sdk/client-ecs'
import { setWeights } from '../elb/weights.ts'
import type { World } from '../world.ts'
import { weightsOf } from './rollout.ts'
import type { ServiceDeployment } from './service-records.ts'
import { ecs } from './state.ts'

/** Writes the weights of a deployment's present phase into the listener rules of its service's load balancers. */
export function shiftTraffic(world: World, deployment: ServiceDeployment): void {
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
