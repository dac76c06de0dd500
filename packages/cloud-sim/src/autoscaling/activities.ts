import { randomUUID } from 'node:crypto'
import type { Activity as ActivityShape, DescribeScalingActivitiesType } from '@aws-sdk/client-auto-scaling'
import type { Caller } from '../callers.ts'
import type { World } from '../world.ts'
import { page } from './pages.ts'
import { findGroup } from './records.ts'
import { type Activity, autoScaling, type Group } from './state.ts'

export function beginActivity(
  world: World,
  group: Group,
  kind: Activity['kind'],
  instanceId: string,
  cause: string,
): Activity {
  const startedAt = world.clock.timestamp()
  const about = { groupArn: group.key, groupName: group.name, instanceId, kind, cause, startedAt }
  return autoScaling(world).activities.save({ key: randomUUID(), ...about })
}

/** Ends and returns the activity in progress for an instance. */
export function endActivity(world: World, groupArn: string, instanceId: string): Activity | undefined {
  const open = autoScaling(world)
    .activities.having('group', groupArn)
    .find((activity) => activity.instanceId === instanceId && activity.endedAt === undefined)
  return open && autoScaling(world).activities.save(Object.assign(open, { endedAt: world.clock.timestamp() }))
}

export const activitiesOf = (world: World, group: Group) => autoScaling(world).activities.having('group', group.key)

export function describeScalingActivities(world: World, caller: Caller, input: DescribeScalingActivitiesType) {
  const { AutoScalingGroupName: name, ActivityIds: ids } = input
  const all = name
    ? activitiesOf(world, findGroup(world, caller, name))
    : autoScaling(world)
        .groups.having('scope', caller.scope)
        .flatMap((group) => activitiesOf(world, group))
  const newestFirst = all.filter(({ key }) => !ids || ids.includes(key)).reverse()
  const { items, NextToken } = page(newestFirst, input)
  return { Activities: items.map(describeActivity), NextToken }
}

export const describeActivity = (activity: Activity): Partial<ActivityShape> => ({
  ActivityId: activity.key,
  AutoScalingGroupName: activity.groupName,
  AutoScalingGroupARN: activity.groupArn,
  Description: descriptionOf(activity),
  Cause: activity.cause,
  StartTime: new Date(activity.startedAt),
  ...(activity.endedAt === undefined ? {} : { EndTime: new Date(activity.endedAt) }),
  StatusCode: activity.endedAt === undefined ? 'InProgress' : 'Successful',
  Progress: activity.endedAt === undefined ? 50 : 100,
})

export const descriptionOf = ({ kind, instanceId }: Activity) =>
  kind === 'Launching' ? `Launching a new EC2 instance: ${instanceId}` : `Terminating EC2 instance: ${instanceId}`
