import { operations } from '../operation.ts'
import * as groups from './groups.ts'
import * as reading from './reading.ts'
import * as streams from './streams.ts'

/** Simulated operations of CloudWatch Logs, API version 2014-03-28. */
export const logsOperations = operations({
  CreateLogGroup: groups.createLogGroup,
  CreateLogStream: streams.createLogStream,
  DeleteLogGroup: groups.deleteLogGroup,
  DeleteLogStream: streams.deleteLogStream,
  DescribeLogGroups: groups.describeLogGroups,
  DescribeLogStreams: streams.describeLogStreams,
  FilterLogEvents: reading.filterLogEvents,
  GetLogEvents: reading.getLogEvents,
  ListTagsForResource: groups.listTagsForResource,
  PutLogEvents: streams.putLogEvents,
  PutRetentionPolicy: groups.putRetentionPolicy,
  TagResource: groups.tagResource,
  UntagResource: groups.untagResource,
})
