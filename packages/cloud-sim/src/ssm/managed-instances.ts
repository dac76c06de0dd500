import type { DescribeInstanceInformationRequest, InstanceInformation } from '@aws-sdk/client-ssm'
import { autoScaling, type Instance } from '../autoscaling/state.ts'
import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import { seconds, type Wire } from '../wire/json.ts'
import type { World } from '../world.ts'
import { page } from './pages.ts'

export function describeInstanceInformation(world: World, caller: Caller, input: DescribeInstanceInformationRequest) {
  const filters = (input.Filters ?? []).map(({ Key = '', Values = [] }) => ({ key: Key, values: Values }))
  const known = filters.every(({ key }) => key === 'InstanceIds' || key === 'PingStatus')
  if (!known) throw new CloudError('InvalidInstanceInformationFilterValue', 'Filter by InstanceIds or PingStatus.')
  const isWanted = (instance: Instance) =>
    filters.every(({ key, values }) => values.includes(key === 'InstanceIds' ? instance.key : instance.agent))
  const managed = autoScaling(world)
    .instances.having('scope', caller.scope)
    .filter(({ agent }) => agent !== 'absent')
  const { items, more } = page(managed.filter(isWanted), input)
  return { InstanceInformationList: items.map((instance) => describe(world, instance)), ...more }
}

const describe = (world: World, { key, agent, launchedAt }: Instance): Wire<InstanceInformation> => ({
  InstanceId: key,
  PingStatus: agent === 'Online' ? 'Online' : 'ConnectionLost',
  LastPingDateTime: seconds(world.clock.timestamp()),
  AgentVersion: '3.3.0.0',
  IsLatestVersion: true,
  PlatformType: 'Linux',
  PlatformName: 'Amazon Linux',
  PlatformVersion: '2023',
  ResourceType: 'EC2Instance',
  RegistrationDate: seconds(launchedAt),
})
