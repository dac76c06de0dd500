import type { CreateServiceRequest, UpdateServiceRequest } from '@aws-sdk/client-ecs'
import type { Caller } from '../callers.ts'
import { CloudError, invalidParameter } from '../errors.ts'
import type { World } from '../world.ts'
import { checkLaunch } from './launch-rules.ts'
import { checkLoadBalancers } from './load-balancer-rules.ts'
import type { RevisionSpec, Service } from './service-records.ts'
import { ecs } from './state.ts'
import { checkTags } from './tag-rules.ts'
import { checkTrafficShift } from './traffic-shift-rules.ts'
import { checkDeploymentConfiguration } from './validation.ts'

export function checkNewService(input: CreateServiceRequest): void {
  const { serviceName: name = '', schedulingStrategy = 'REPLICA', clientToken = '', tags = [] } = input
  if (!/^[a-zA-Z0-9_-]{1,255}$/.test(name)) throw invalidParameter(`Invalid service name: ${name}.`)
  if (schedulingStrategy !== 'REPLICA') {
    throw new CloudError('UnsupportedFeatureException', `Scheduling strategy ${schedulingStrategy} is not simulated.`)
  }
  if (!/^[!-~]{0,36}$/.test(clientToken)) throw invalidParameter('clientToken must be at most 36 ASCII characters.')
  checkDesiredCount(input.desiredCount ?? 0)
  checkTags(tags)
}

export function checkDesiredCount(desiredCount: number): void {
  if (Number.isInteger(desiredCount) && desiredCount >= 0) return
  throw invalidParameter('desiredCount must be an integer of at least 0.')
}

/** What a service would become, if it were as asked for. */
type Wanted = Pick<Service, 'settings' | 'deploymentConfiguration'> & { spec: RevisionSpec }

export function checkService(
  world: World,
  caller: Caller,
  input: CreateServiceRequest | UpdateServiceRequest,
  { settings, spec, deploymentConfiguration }: Wanted,
): void {
  const controller = input.deploymentController?.type
  if (controller !== undefined && controller !== 'ECS') {
    throw new CloudError('UnsupportedFeatureException', `Deployment controller ${controller} is not simulated.`)
  }
  const { platformVersion, loadBalancers = [] } = spec
  if (platformVersion !== undefined && !/^(LATEST|\d+\.\d+\.\d+)$/.test(platformVersion)) {
    throw new CloudError('PlatformUnknownException', 'The specified platform does not exist.')
  }
  const definition = ecs(world).taskDefinitions.get(spec.taskDefinition)
  if (definition) {
    checkLaunch(definition, { ...settings, ...spec })
    checkLoadBalancers(world, definition, loadBalancers)
  }
  if (settings.healthCheckGracePeriodSeconds && loadBalancers.length === 0) {
    const message = 'Health check grace period is only valid for services configured to use load balancers'
    throw invalidParameter(message)
  }
  checkDeploymentConfiguration(deploymentConfiguration)
  checkTrafficShift(world, caller.scope, deploymentConfiguration.strategy ?? 'ROLLING', spec)
}
