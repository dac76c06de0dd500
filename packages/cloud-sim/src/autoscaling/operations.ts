import { operations } from '../operation.ts'
import * as activities from './activities.ts'
import * as groups from './groups.ts'
import * as tags from './tags.ts'

/** Simulated operations of EC2 Auto Scaling, API version 2011-01-01. */
export const autoScalingOperations = operations({
  CreateAutoScalingGroup: groups.createAutoScalingGroup,
  CreateOrUpdateTags: tags.createOrUpdateTags,
  DeleteAutoScalingGroup: groups.deleteAutoScalingGroup,
  DeleteTags: tags.deleteTags,
  DescribeAutoScalingGroups: groups.describeAutoScalingGroups,
  DescribeScalingActivities: activities.describeScalingActivities,
  DescribeTags: tags.describeTags,
  SetDesiredCapacity: groups.setDesiredCapacity,
  TerminateInstanceInAutoScalingGroup: groups.terminateInstance,
  UpdateAutoScalingGroup: groups.updateAutoScalingGroup,
})
