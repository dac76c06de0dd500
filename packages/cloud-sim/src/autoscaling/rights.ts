import type { Tag } from '@aws-sdk/client-auto-scaling'
import { arns } from '../arns.ts'
import { defineIamPermissions, type PermissionContext } from '../rights/right.ts'
import { findByName } from './records.ts'
import { autoScaling } from './state.ts'

/** Returns a group's ARN, with a wildcard for the id of a missing group. */
const groupArn = (name: string, { world, caller }: PermissionContext) =>
  findByName(world, caller, name)?.key ?? arns.autoScalingGroup(caller.scope, '*', name)

const byName = ({ AutoScalingGroupName = '' }: { AutoScalingGroupName?: string }, where: PermissionContext) =>
  groupArn(AutoScalingGroupName, where)

const byTags = ({ Tags = [] }: { Tags?: Tag[] }, where: PermissionContext) =>
  Tags.map(({ ResourceId = '' }) => groupArn(ResourceId, where))

/** Describe operations have no resources. */
export const autoScalingRights = defineIamPermissions({
  CreateAutoScalingGroup: byName,
  CreateOrUpdateTags: byTags,
  DeleteAutoScalingGroup: byName,
  DeleteTags: byTags,
  SetDesiredCapacity: byName,
  TerminateInstanceInAutoScalingGroup: ({ InstanceId = '' }: { InstanceId?: string }, { world }) =>
    autoScaling(world).instances.get(InstanceId)?.groupArn ?? '*',
  UpdateAutoScalingGroup: byName,
})
