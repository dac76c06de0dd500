import { operations } from '../operation.ts'
import * as alarms from './alarms.ts'
import { getMetricData } from './metric-data.ts'
import * as metrics from './metrics.ts'
import * as tags from './tags.ts'

/** Simulated operations of CloudWatch, API version 2010-08-01. */
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

/** Error codes in the query protocol. */
export const monitoringQueryCodes = {
  InvalidParameterValueException: 'InvalidParameterValue',
  ValidationException: 'ValidationError',
}
