import { defineIamPermissions } from '../rights/right.ts'
import { arnOf } from './alarms.ts'

const byName = ({ AlarmName = '' }: { AlarmName?: string }, { caller }: { caller: { scope: string } }) =>
  arnOf(caller.scope, AlarmName)

const byNames = ({ AlarmNames = ['*'] }: { AlarmNames?: string[] }, { caller }: { caller: { scope: string } }) =>
  AlarmNames.map((name) => arnOf(caller.scope, name))

const tagged = ({ ResourceARN = '*' }: { ResourceARN?: string }) => ResourceARN

/** Required permissions; actions on metrics have no resources. */
export const monitoringRights = defineIamPermissions({
  DeleteAlarms: byNames,
  DescribeAlarms: byNames,
  ListTagsForResource: tagged,
  PutMetricAlarm: byName,
  SetAlarmState: byName,
  TagResource: tagged,
  UntagResource: tagged,
})
