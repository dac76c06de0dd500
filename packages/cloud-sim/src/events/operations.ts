import { operations } from '../operation.ts'
import * as rules from './rules.ts'
import * as tags from './tags.ts'

/** Simulated operations of EventBridge, API version 2015-10-07: the default bus with queues as targets. */
export const eventOperations = operations({
  DeleteRule: rules.deleteRule,
  DescribeRule: rules.describeRule,
  ListRules: rules.listRules,
  ListTargetsByRule: rules.listTargetsByRule,
  ListTagsForResource: tags.listTagsForResource,
  PutEvents: rules.putEvents,
  PutRule: rules.putRule,
  PutTargets: rules.putTargets,
  RemoveTargets: rules.removeTargets,
  TagResource: tags.tagResource,
  UntagResource: tags.untagResource,
})
