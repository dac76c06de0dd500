import type { AutoScalingGroup } from '@aws-sdk/client-auto-scaling'
import { scopeOfArn } from '../arns.ts'
import { importDocument, importParameter } from '../ssm/import.ts'
import type { World } from '../world.ts'
import { instancesOf } from './instances.ts'
import { autoScaling, type Instance } from './state.ts'

/** Auto Scaling group as described by AWS, and what its instances install. */
export interface ImportedGroup {
  group: AutoScalingGroup
  /** Ids of the instances whose SSM agents are online. */
  reachable: readonly string[]
  /** Command document with the names of its parameters. */
  document: { name: string; parameters: readonly string[] }
  /** SSM parameter from which new instances read what they install. */
  parameter?: { name: string; value: string }
}

/** Instance of a group, with the deployment of its last successful command. */
export type GroupInstance = { id: string; deployment: string | undefined }

/** Creates the group under its name, with its instances that are in service or starting. */
export function importGroup(world: World, { group, reachable, document, parameter }: ImportedGroup): void {
  const { AutoScalingGroupARN: key = '', AutoScalingGroupName: name = '', Instances = [] } = group
  const scope = scopeOfArn(key)
  const isMember = ({ LifecycleState = '' }) => LifecycleState === 'InService' || LifecycleState.startsWith('Pending')
  const members = Instances.filter(isMember)
  autoScaling(world).groups.save({
    key,
    scope,
    name,
    minSize: group.MinSize ?? 0,
    maxSize: group.MaxSize ?? members.length,
    desiredCapacity: members.length,
    createdAt: world.clock.timestamp(),
    shape: { LaunchTemplate: group.LaunchTemplate },
    tags: group.Tags ?? [],
  })
  for (const { InstanceId = '', LifecycleState } of members) {
    const about = { key: InstanceId, scope, groupArn: key, launchedAt: world.clock.timestamp() }
    autoScaling(world).instances.save({ ...about, ...stateOf(world, LifecycleState, reachable.includes(InstanceId)) })
  }
  importDocument(world, scope, document)
  if (parameter) importParameter(world, scope, parameter)
}

function stateOf(world: World, state: string | undefined, isReachable: boolean) {
  if (state !== 'InService') {
    return { state: 'Pending', agent: 'absent', wakeAt: world.in(world.timing.launchSeconds) } as const
  }
  return { state: 'InService', agent: isReachable ? 'Online' : 'ConnectionLost' } as const
}

/** Returns the instances of a group that are in service. */
export function groupInstances(world: World, groupArn: string): GroupInstance[] {
  const group = autoScaling(world).groups.get(groupArn)
  const isServing = ({ state }: Instance) => state === 'InService'
  return group
    ? instancesOf(world, group)
        .filter(isServing)
        .map(({ key: id, deployment }) => ({ id, deployment }))
    : []
}
