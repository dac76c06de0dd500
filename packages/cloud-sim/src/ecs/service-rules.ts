import type { CreateServiceRequest, DeploymentConfiguration, UpdateServiceRequest } from '@aws-sdk/client-ecs'
import type { Caller } from '../callers.ts'
import { CloudError, invalidParameter } from '../errors.ts'
import type { World } from '../world.ts'
import { checkLaunch } from './launch-rules.ts'
import { checkLoadBalancers } from './load-balancer-rules.ts'
import { isDeployedByCloud, type RevisionSpec, type Service, type ServiceSettings } from './service-records.ts'
import { ecs } from './state.ts'
import { checkTags } from './tag-rules.ts'
import { checkTrafficShift } from './traffic-shift-rules.ts'
import { checkDeploymentConfiguration } from './validation.ts'

export function checkNewService(input: CreateServiceRequest): void {
  const { serviceName: name = '', clientToken = '', tags = [], loadBalancers = [] } = input
  if (!/^[a-zA-Z0-9_-]{1,255}$/.test(name)) throw invalidParameter(`Invalid service name: ${name}.`)
  if (input.deploymentController?.type === 'CODE_DEPLOY' && loadBalancers.length === 0) {
    throw invalidParameter('The service requires an Application Load Balancer or Network Load Balancer.')
  }
  if (!/^[!-~]{0,36}$/.test(clientToken)) throw invalidParameter('clientToken must be at most 36 ASCII characters.')
  checkDesiredCount(input.desiredCount ?? 0)
  checkTags(tags)
}

/** "Amazon ECS service quotas": tasks per service, read 2026-11. */
const maxDesiredCount = 5000

export function checkDesiredCount(desiredCount: number): void {
  if (Number.isInteger(desiredCount) && desiredCount >= 0 && desiredCount <= maxDesiredCount) return
  throw invalidParameter(`desiredCount must be an integer between 0 and ${maxDesiredCount}.`)
}

/**
 * Rejects settings that a daemon service cannot have. The messages are AWS's where known; that about the strategy is
 * not.
 */
function checkDaemon(
  { desiredCount }: CreateServiceRequest | UpdateServiceRequest,
  settings: ServiceSettings,
  { maximumPercent, strategy = 'ROLLING' }: DeploymentConfiguration,
): void {
  const reject = (what: string, remedy: string) =>
    invalidParameter(`The daemon scheduling strategy does not support ${what}. ${remedy} and try again`)
  if (desiredCount !== undefined) throw reject('a desired count for services', 'Remove the desired count value')
  if (!isDeployedByCloud(settings)) {
    throw reject(`the ${settings.deploymentController?.type} deployment controller`, 'Change the deployment controller')
  }
  if (settings.launchType === 'FARGATE' || settings.capacityProviderStrategy?.length) {
    throw reject('the FARGATE launch type', 'Change the launch type')
  }
  if ((maximumPercent ?? 100) > 100) {
    const what = 'values above 100 for maximumPercent on a deployment configuration'
    throw reject(what, 'Change the maximumPercent value to 100,')
  }
  if (strategy !== 'ROLLING') throw reject(`the ${strategy} deployment strategy`, 'Change the strategy to ROLLING')
}

/** Rejects updates that only the service's own deployment controller can make. */
export function checkController({ settings }: Service, input: UpdateServiceRequest): void {
  const { taskDefinition, forceNewDeployment, loadBalancers, networkConfiguration, platformVersion } = input
  if (isDeployedByCloud({ ...settings, ...input })) return
  const type = settings.deploymentController?.type
  if (!taskDefinition && !forceNewDeployment && !loadBalancers && !networkConfiguration && !platformVersion) return
  const instead = type === 'CODE_DEPLOY' ? 'Use AWS CodeDeploy to trigger a new deployment.' : 'Create a new task set.'
  throw invalidParameter(
    `Unable to update task definition on services with a ${type} deployment controller. ${instead}`,
  )
}

/** Service with the requested changes applied. */
type Wanted = Pick<Service, 'settings' | 'deploymentConfiguration'> & { spec: RevisionSpec }

export function checkService(
  world: World,
  caller: Caller,
  input: CreateServiceRequest | UpdateServiceRequest,
  { settings, spec, deploymentConfiguration }: Wanted,
): void {
  if (settings.schedulingStrategy === 'DAEMON') checkDaemon(input, settings, deploymentConfiguration)
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
  checkDeploymentConfiguration(world, caller.scope, deploymentConfiguration)
  checkTrafficShift(world, caller.scope, deploymentConfiguration.strategy ?? 'ROLLING', spec)
}
