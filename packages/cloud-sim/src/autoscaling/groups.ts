import { randomUUID } from 'node:crypto'
import type {
  AutoScalingGroupNamesType,
  CreateAutoScalingGroupType,
  DeleteAutoScalingGroupType,
  AutoScalingGroup as GroupShape,
  SetDesiredCapacityType,
  TerminateInstanceInAutoScalingGroupType,
  UpdateAutoScalingGroupType,
} from '@aws-sdk/client-auto-scaling'
import { arns, regionAndAccountOf } from '../arns.ts'
import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import type { World } from '../world.ts'
import { activitiesOf, describeActivity } from './activities.ts'
import { describeInstance, instancesOf, matchCapacity, terminate } from './instances.ts'
import { page } from './pages.ts'
import { findByName, findGroup, validation } from './records.ts'
import { autoScaling, type Group, type Instance } from './state.ts'

/** Parses a number, which arrives as text in form requests. */
const numberOf = (value: unknown, otherwise: number) => (value === undefined ? otherwise : Number(value))

export function createAutoScalingGroup(world: World, caller: Caller, input: CreateAutoScalingGroupType) {
  const { AutoScalingGroupName: name = '', MinSize, MaxSize, DesiredCapacity, Tags = [], ...shape } = input
  if (!/^[^:/]{1,255}$/.test(name)) throw validation(`Invalid AutoScalingGroupName: '${name}'`)
  if (findByName(world, caller, name)) {
    throw new CloudError(
      'AlreadyExists',
      `AutoScalingGroup by this name already exists - A group with the name ${name} already exists`,
    )
  }
  const { LaunchTemplate, LaunchConfigurationName, InstanceId, MixedInstancesPolicy } = shape
  const sources = [LaunchTemplate, LaunchConfigurationName, InstanceId, MixedInstancesPolicy]
  if (sources.filter((source) => source !== undefined).length !== 1) {
    throw validation(
      'Valid requests must contain either LaunchTemplate, LaunchConfigurationName, InstanceId or MixedInstancesPolicy parameter.',
    )
  }
  const minSize = numberOf(MinSize, 0)
  const group: Group = {
    key: arns.autoScalingGroup(caller.scope, randomUUID(), name),
    scope: caller.scope,
    name,
    minSize,
    maxSize: numberOf(MaxSize, minSize),
    desiredCapacity: numberOf(DesiredCapacity, minSize),
    createdAt: world.clock.timestamp(),
    shape: { ...defaults(caller), ...shownOf(shape) },
    tags: Tags.map((tag) => ({ ...tag, ResourceId: name, ResourceType: 'auto-scaling-group' })),
  }
  checkCapacity(group)
  matchCapacity(world, autoScaling(world).groups.save(group))
  return {}
}

/** Request fields that describe calls do not return. */
const requestOnly = ['InstanceId', 'LifecycleHookSpecificationList', 'SkipZonalShiftValidation']

const shownOf = (shape: object): object =>
  Object.fromEntries(Object.entries(shape).filter(([name]) => !requestOnly.includes(name)))

const defaults = ({ scope }: Caller) => ({
  AvailabilityZones: [`${regionAndAccountOf(scope).region}a`],
  DefaultCooldown: 300,
  HealthCheckType: 'EC2',
  HealthCheckGracePeriod: 0,
  TerminationPolicies: ['Default'],
  NewInstancesProtectedFromScaleIn: false,
})

export function describeAutoScalingGroups(world: World, caller: Caller, input: AutoScalingGroupNamesType) {
  const { AutoScalingGroupNames: names } = input
  const all = autoScaling(world).groups.having('scope', caller.scope)
  const { items, NextToken } = page(names ? all.filter(({ name }) => names.includes(name)) : all, input)
  return { AutoScalingGroups: items.map((group) => describe(world, group)), NextToken }
}

export function updateAutoScalingGroup(world: World, caller: Caller, input: UpdateAutoScalingGroupType) {
  const { AutoScalingGroupName, MinSize, MaxSize, DesiredCapacity, ...shape } = input
  const group = findGroup(world, caller, AutoScalingGroupName)
  const minSize = numberOf(MinSize, group.minSize)
  const maxSize = numberOf(MaxSize, group.maxSize)
  // New bounds adjust the existing capacity, but not an explicitly requested one.
  const within = Math.min(maxSize, Math.max(minSize, group.desiredCapacity))
  const changed = { ...group, minSize, maxSize, desiredCapacity: numberOf(DesiredCapacity, within) }
  checkCapacity(changed)
  Object.assign(group, changed, { shape: { ...group.shape, ...shownOf(shape) } })
  matchCapacity(world, autoScaling(world).groups.save(group))
  return {}
}

export function setDesiredCapacity(world: World, caller: Caller, input: SetDesiredCapacityType) {
  const group = findGroup(world, caller, input.AutoScalingGroupName)
  const desiredCapacity = Number(input.DesiredCapacity)
  checkCapacity({ ...group, desiredCapacity })
  matchCapacity(world, autoScaling(world).groups.save(Object.assign(group, { desiredCapacity })))
  return {}
}

export function terminateInstance(world: World, _caller: Caller, input: TerminateInstanceInAutoScalingGroupType) {
  const instance = autoScaling(world).instances.get(input.InstanceId ?? '')
  const group = autoScaling(world).groups.get(instance?.groupArn ?? '')
  if (!instance || !group || group.scope !== _caller.scope) {
    throw validation(`Instance Id not found - No managed instance found for instance ID: ${input.InstanceId}`)
  }
  if (String(input.ShouldDecrementDesiredCapacity) === 'true') {
    const desiredCapacity = group.desiredCapacity - 1
    checkCapacity({ ...group, desiredCapacity })
    autoScaling(world).groups.save(Object.assign(group, { desiredCapacity }))
  }
  const activity = terminate(world, group, instance, 'a user request')
  matchCapacity(world, group)
  return { Activity: describeActivity(activity) }
}

export function deleteAutoScalingGroup(world: World, caller: Caller, input: DeleteAutoScalingGroupType) {
  const group = findGroup(world, caller, input.AutoScalingGroupName)
  const members = instancesOf(world, group)
  if (members.length > 0 && String(input.ForceDelete) !== 'true') {
    throw new CloudError(
      'ResourceInUse',
      'You cannot delete an AutoScalingGroup while there are instances or pending Spot instance request(s) still in the group.',
    )
  }
  for (const instance of members) autoScaling(world).instances.remove(instance)
  for (const activity of activitiesOf(world, group)) autoScaling(world).activities.remove(activity)
  autoScaling(world).groups.remove(group)
  return {}
}

function checkCapacity({ minSize, maxSize, desiredCapacity }: Group): void {
  if (!(Number.isInteger(minSize) && minSize >= 0 && Number.isInteger(maxSize))) {
    throw validation('MinSize and MaxSize must be whole numbers of at least 0')
  }
  if (minSize > maxSize) throw validation('Max bound, must be greater than or equal to min bound')
  if (!Number.isInteger(desiredCapacity)) throw validation('Desired capacity must be a whole number')
  if (desiredCapacity < minSize || desiredCapacity > maxSize) {
    const message = `New SetDesiredCapacity value ${desiredCapacity} is ${desiredCapacity < minSize ? 'below min' : 'above max'} value ${desiredCapacity < minSize ? minSize : maxSize} for the AutoScalingGroup.`
    throw validation(message)
  }
}

/** Serializes a group, including its terminating instances. */
const describe = (world: World, group: Group): Partial<GroupShape> => ({
  AutoScalingGroupName: group.name,
  AutoScalingGroupARN: group.key,
  MinSize: group.minSize,
  MaxSize: group.maxSize,
  DesiredCapacity: group.desiredCapacity,
  ...group.shape,
  Instances: instancesOf(world, group).map((instance: Instance) => describeInstance(group, instance)),
  CreatedTime: new Date(group.createdAt),
  SuspendedProcesses: [],
  EnabledMetrics: [],
  Tags: group.tags,
})
