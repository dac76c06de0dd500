import { FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs'
import type { Filter } from '@aws-sdk/client-ec2'
import type { Service } from '@aws-sdk/client-ecs'
import { DescribeSecretCommand } from '@aws-sdk/client-secrets-manager'
import { DescribeParametersCommand } from '@aws-sdk/client-ssm'
import type { ServiceInEnvironment } from '../../facts/ecs.ts'
import type { NetworkReading, ServiceSettings } from '../../facts/release-parts.ts'
import type { CloudClients } from '../access.ts'
import { CloudPermanentError, callCloud } from '../cloud-call.ts'
import { loadEc2Module } from '../machines/instances.ts'
import { findService } from './services.ts'

/** Reads the settings of a service that decide where and how many tasks a release starts. */
export async function readServiceSettings(
  { ecs }: CloudClients,
  place: ServiceInEnvironment,
): Promise<ServiceSettings> {
  const service = await findService(ecs, place)
  const { desiredCount = 0, deploymentConfiguration, networkConfiguration } = service
  const { subnets = [], securityGroups = [] } = networkConfiguration?.awsvpcConfiguration ?? {}
  return {
    isFargate: isFargate(service),
    desiredCount,
    // The default of a replica service ("DeploymentConfiguration" in the ECS API reference, read 2026-11).
    maximumPercent: deploymentConfiguration?.maximumPercent ?? 200,
    subnetIds: subnets,
    securityGroupIds: securityGroups,
  }
}

const isFargate = ({ launchType, capacityProviderStrategy = [] }: Service): boolean =>
  launchType === 'FARGATE' ||
  capacityProviderStrategy.some(({ capacityProvider = '' }) => capacityProvider.startsWith('FARGATE'))

export const hasLogGroup = ({ logs }: CloudClients, logGroupName: string, now: Date): Promise<boolean> =>
  exists(() => logs.send(new FilterLogEventsCommand({ logGroupName, startTime: now.getTime(), limit: 1 })))

/** Reports whether a secret exists, without reading its value. */
export const hasSecret = ({ secrets }: CloudClients, SecretId: string): Promise<boolean> =>
  exists(() => secrets.send(new DescribeSecretCommand({ SecretId })))

async function exists(read: () => Promise<unknown>): Promise<boolean> {
  try {
    await callCloud(read)
    return true
  } catch (error) {
    if (error instanceof CloudPermanentError && error.reason === 'ResourceNotFoundException') return false
    throw error
  }
}

/** Reports whether a parameter exists, without reading its value. */
export async function hasParameter({ ssm }: CloudClients, name: string): Promise<boolean> {
  const ParameterFilters = [{ Key: 'Name', Option: 'Equals', Values: [name] }]
  const { Parameters = [] } = await callCloud(() => ssm.send(new DescribeParametersCommand({ ParameterFilters })))
  return Parameters.length > 0
}

export async function readServiceNetwork(
  { networks }: CloudClients,
  { subnetIds, securityGroupIds }: Pick<ServiceSettings, 'subnetIds' | 'securityGroupIds'>,
): Promise<NetworkReading> {
  const { DescribeSecurityGroupsCommand, DescribeSubnetsCommand } = loadEc2Module()
  // Filters instead of ids, because one missing id would fail the whole request.
  const named = (Name: string, Values: string[]): { Filters: Filter[] } => ({ Filters: [{ Name, Values }] })
  const [{ Subnets = [] }, { SecurityGroups = [] }] = await Promise.all([
    callCloud(() => networks.send(new DescribeSubnetsCommand(named('subnet-id', subnetIds)))),
    securityGroupIds.length === 0
      ? { SecurityGroups: [] }
      : callCloud(() => networks.send(new DescribeSecurityGroupsCommand(named('group-id', securityGroupIds)))),
  ])
  return {
    subnets: Subnets.map(({ SubnetId: id = '', AvailableIpAddressCount: availableIpAddressCount = 0 }) => ({
      id,
      availableIpAddressCount,
    })),
    missingSubnetIds: subnetIds.filter((id) => !Subnets.some(({ SubnetId }) => SubnetId === id)),
    missingSecurityGroupIds: securityGroupIds.filter((id) => !SecurityGroups.some(({ GroupId }) => GroupId === id)),
  }
}
