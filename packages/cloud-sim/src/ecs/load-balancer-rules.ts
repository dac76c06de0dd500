import type { LoadBalancer } from '@aws-sdk/client-ecs'
import { elb } from '../elb/state.ts'
import { invalidParameter } from '../errors.ts'
import type { World } from '../world.ts'
import type { TaskDefinition } from './state.ts'

const maxLoadBalancers = 5

/** Rejects load balancers that do not match the task definition's containers. */
export function checkLoadBalancers(world: World, { content }: TaskDefinition, loadBalancers: LoadBalancer[]): void {
  if (loadBalancers.length > maxLoadBalancers) {
    throw invalidParameter(`load balancers can have at most ${maxLoadBalancers} items.`)
  }
  for (const { containerName = '', containerPort, targetGroupArn = '', advancedConfiguration } of loadBalancers) {
    const container = (content.containerDefinitions ?? []).find(({ name }) => name === containerName)
    if (containerName && !container) {
      throw invalidParameter(`The container ${containerName} does not exist in the task definition.`)
    }
    if (containerPort && !container?.portMappings?.some((mapping) => mapping.containerPort === containerPort)) {
      throw invalidParameter(`The container ${containerName} did not have a container port ${containerPort} defined.`)
    }
    for (const arn of [targetGroupArn, advancedConfiguration?.alternateTargetGroupArn]) {
      if (arn) checkTargetType(world, content.networkMode ?? 'bridge', arn)
    }
  }
}

/** Checks the target type: `ip` for tasks with their own network interface, else `instance`. */
function checkTargetType(world: World, networkMode: string, arn: string): void {
  const type = elb(world).targetGroups.get(arn)?.shape.TargetType
  const fitting = networkMode === 'awsvpc' ? 'ip' : 'instance'
  if (type === undefined || type === fitting) return
  const message = `The provided target group ${arn} has target type ${type}, which is incompatible with the ${networkMode} network mode specified in the task definition.`
  throw invalidParameter(message)
}
