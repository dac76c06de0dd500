import type { CreateServiceRequest } from '@aws-sdk/client-ecs'
import { invalidParameter } from '../errors.ts'
import { fargateViolation } from './fargate-rules.ts'
import type { TaskDefinition } from './state.ts'

/** Launch settings that services and single tasks share. */
export type LaunchRequest = Pick<
  CreateServiceRequest,
  | 'capacityProviderStrategy'
  | 'enableExecuteCommand'
  | 'launchType'
  | 'networkConfiguration'
  | 'placementConstraints'
  | 'placementStrategy'
  | 'platformVersion'
  | 'volumeConfigurations'
>

/** Capacity providers of every simulated cluster; Auto Scaling groups are not supported. */
export const capacityProviders = ['FARGATE', 'FARGATE_SPOT']
const maxSubnets = 16
const maxSecurityGroups = 5
const maxWeight = 1000
const maxBase = 100_000

/** Rejects launch settings that are incompatible with the task definition. */
export function checkLaunch({ content }: TaskDefinition, request: LaunchRequest): void {
  checkCapacity(request)
  const { launchType = 'EC2', capacityProviderStrategy = [] } = request
  const isFargate = launchType === 'FARGATE' || capacityProviderStrategy.length > 0
  if (isFargate) checkFargate(content, request, capacityProviderStrategy.length > 0)
  else if (request.platformVersion && request.platformVersion !== 'LATEST') {
    throw invalidParameter('The platform version must be null when specifying an EC2 launch type.')
  }
  checkNetwork(content.networkMode, request, isFargate)
  checkVolumes(content, request)
  if (request.enableExecuteCommand && !content.taskRoleArn) {
    const message =
      "The service couldn't be created because a valid taskRoleArn is not being used. Specify a valid task role in your task definition and try again."
    throw invalidParameter(message)
  }
}

/** Checks that exactly the volumes with `configuredAtLaunch` are configured, with AWS's error messages. */
function checkVolumes({ volumes = [] }: TaskDefinition['content'], { volumeConfigurations = [] }: LaunchRequest): void {
  const names = volumes.flatMap(({ name, configuredAtLaunch }) => (configuredAtLaunch ? [name] : []))
  if (names.length > 0 && volumeConfigurations.length === 0) {
    const message = 'Task definition has configuredAtLaunch volume but no volume configuration provided at runtime'
    throw invalidParameter(message)
  }
  if (volumeConfigurations.every(({ name }) => names.includes(name))) return
  const message = 'Volume configuration provided but no matching configuredAtLaunch volume found in task definition.'
  throw invalidParameter(message)
}

function checkCapacity({ launchType, capacityProviderStrategy: strategy = [] }: LaunchRequest): void {
  if (strategy.length === 0) return
  if (launchType) {
    const message =
      'Specifying both a launch type and capacity provider strategy is not supported. Remove one and try again.'
    throw invalidParameter(message)
  }
  const stranger = strategy.find(({ capacityProvider = '' }) => !capacityProviders.includes(capacityProvider))
  if (stranger) throw invalidParameter(`The specified capacity provider '${stranger.capacityProvider}' was not found.`)
  if (new Set(strategy.map(({ capacityProvider }) => capacityProvider)).size < strategy.length) {
    throw invalidParameter('A capacity provider can be named once in a capacity provider strategy.')
  }
  for (const { weight = 0, base = 0 } of strategy) {
    if (weight < 0 || weight > maxWeight) throw invalidParameter(`weight must be between 0 and ${maxWeight}.`)
    if (base < 0 || base > maxBase) throw invalidParameter(`base must be between 0 and ${maxBase}.`)
  }
  if (strategy.every(({ weight = 0 }) => weight === 0)) {
    throw invalidParameter('At least one capacity provider of the strategy must have a weight greater than 0.')
  }
  if (strategy.filter(({ base = 0 }) => base > 0).length > 1) {
    throw invalidParameter('Only one capacity provider in a capacity provider strategy can have a base defined.')
  }
}

function checkFargate(content: TaskDefinition['content'], request: LaunchRequest, byProvider: boolean): void {
  if (fargateViolation(content) !== undefined) {
    const what = byProvider ? 'the capacity provider FARGATE' : 'launch_type FARGATE'
    throw invalidParameter(`Task definition does not support ${what}.`)
  }
  if (request.placementStrategy?.length) {
    throw invalidParameter('Placement strategies are not supported with FARGATE launch type.')
  }
  if (request.placementConstraints?.length) {
    throw invalidParameter('Placement constraints are not supported with FARGATE launch type.')
  }
}

function checkNetwork(networkMode: string | undefined, { networkConfiguration }: LaunchRequest, isFargate: boolean) {
  const network = networkConfiguration?.awsvpcConfiguration
  if (networkMode !== 'awsvpc') {
    if (!network) return
    throw invalidParameter('Network Configuration is not valid for the given networkMode of this task definition.')
  }
  if (!network) throw invalidParameter("Network Configuration must be provided when networkMode 'awsvpc' is specified.")
  const { subnets = [], securityGroups = [], assignPublicIp } = network
  if (subnets.length === 0) throw invalidParameter('subnets can not be empty.')
  if (subnets.length > maxSubnets) throw invalidParameter(`subnets can have at most ${maxSubnets} items.`)
  if (securityGroups.length > maxSecurityGroups) {
    throw invalidParameter(`securityGroups can have at most ${maxSecurityGroups} items.`)
  }
  const noSubnet = subnets.find((id) => !/^subnet-[0-9a-z]+$/.test(id))
  if (noSubnet !== undefined) {
    throw invalidParameter(
      `Error retrieving subnet information for [${noSubnet}]: The subnet ID '${noSubnet}' does not exist`,
    )
  }
  const noGroup = securityGroups.find((id) => !/^sg-[0-9a-z]+$/.test(id))
  if (noGroup !== undefined) {
    throw invalidParameter(
      `Error retrieving security group information for [${noGroup}]: The security group '${noGroup}' does not exist`,
    )
  }
  if (assignPublicIp === 'ENABLED' && !isFargate) {
    throw invalidParameter('Assign public IP is not supported for this launch type.')
  }
}
