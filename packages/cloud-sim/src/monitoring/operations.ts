import { operations } from '../operation.ts'
import * as alarms from './alarms.ts'
import { getMetricData } from './metric-data.ts'
import * as metrics from './metrics.ts'
import * as tags from './tags.ts'

/** The monitoring API (CloudWatch), version 2010-08-01, as far as it is simulated. */
export const monitoringOperations = operations({
  DeleteAlarms: alarms.deleteAlarms,
  DescribeAlarms: alarms.describeAlarms,
  GetMetricData: getMetricData,
  ListMetrics: metrics.listMetrics,
  ListTagsForResource: tags.listTagsForResource,
  PutMetricAlarm: alarms.putMetricAlarm,
  PutMetricData: metrics.putMetricData,
  SetAlarmState: alarms.setAlarmState,
  TagResource: tags.tagResource,
  UntagResource: tags.untagResource,
})

/** What its errors were called when it spoke Query. */
export const monitoringQueryCodes = {
  InvalidParameterValueException: 'InvalidParameterValue',
  ValidationException: 'ValidationError',
}
