import type { Instance as InstanceShape } from '@aws-sdk/client-auto-scaling'
import { regionAndAccountOf } from '../arns.ts'
import { publishScaling } from '../events/fleet-events.ts'
import { hex } from '../ids.ts'
import type { World } from '../world.ts'
import { beginActivity, endActivity } from './activities.ts'
import { type Activity, autoScaling, type Group, type Instance } from './state.ts'

/** Launches or terminates instances to match the group's desired capacity. */
export function matchCapacity(world: World, group: Group): void {
  const present = instancesOf(world, group).filter(({ state }) => state !== 'Terminating')
  for (let count = present.length; count < group.desiredCapacity; count++) launch(world, group)
  const surplus = present.slice(0, Math.max(0, present.length - group.desiredCapacity)) // the oldest first
  for (const instance of surplus) terminate(world, group, instance, 'a difference between desired and actual capacity')
}

export const instancesOf = (world: World, group: Group) => autoScaling(world).instances.having('group', group.key)

function launch(world: World, group: Group): void {
  const instance: Instance = {
    key: `i-${hex(17)}`,
    scope: group.scope,
    groupArn: group.key,
    state: 'Pending',
    agent: 'absent',
    launchedAt: world.clock.timestamp(),
    wakeAt: world.in(world.timing.launchSeconds),
  }
  autoScaling(world).instances.save(instance)
  beginActivity(world, group, 'Launching', instance.key, 'a difference between desired and actual capacity')
}

export function terminate(world: World, group: Group, instance: Instance, cause: string): Activity {
  Object.assign(instance, { state: 'Terminating', wakeAt: world.in(world.timing.terminateSeconds) })
  autoScaling(world).instances.save(instance)
  return beginActivity(world, group, 'Terminating', instance.key, cause)
}

/** Performs the next due transition of an instance. */
export function advanceInstance(world: World, instance: Instance): void {
  if (instance.state === 'Terminating') end(world, instance)
  else if (instance.state === 'Pending') enterService(world, instance)
  else if (instance.agent === 'absent') instance.agent = 'Online'
}

function enterService(world: World, instance: Instance): void {
  Object.assign(instance, { state: 'InService', wakeAt: world.in(world.timing.agentSeconds) })
  autoScaling(world).instances.save(instance)
  tell(world, instance)
}

function end(world: World, instance: Instance): void {
  autoScaling(world).instances.remove(instance)
  tell(world, instance)
}

function tell(world: World, instance: Instance): void {
  const activity = endActivity(world, instance.groupArn, instance.key)
  if (activity) publishScaling(world, instance, activity)
}

export const describeInstance = (group: Group, { key, state }: Instance): InstanceShape => ({
  InstanceId: key,
  InstanceType: 't3.micro',
  AvailabilityZone: `${regionAndAccountOf(group.scope).region}a`,
  LifecycleState: state,
  HealthStatus: 'Healthy',
  ...(group.shape.LaunchTemplate ? { LaunchTemplate: group.shape.LaunchTemplate as object } : {}),
  ProtectedFromScaleIn: false,
})
