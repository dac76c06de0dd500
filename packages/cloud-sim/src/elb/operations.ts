import { operations } from '../operation.ts'
import * as attributes from './attributes.ts'
import * as listeners from './listeners.ts'
import * as loadBalancers from './load-balancers.ts'
import * as rules from './rules.ts'
import * as targetGroups from './target-groups.ts'

/** Simulated operations of Elastic Load Balancing, API version 2015-12-01. */
export const elbOperations = operations({
  AddTags: attributes.addTags,
  CreateListener: listeners.createListener,
  CreateLoadBalancer: loadBalancers.createLoadBalancer,
  CreateRule: rules.createRule,
  CreateTargetGroup: targetGroups.createTargetGroup,
  DeleteListener: listeners.deleteListener,
  DeleteLoadBalancer: loadBalancers.deleteLoadBalancer,
  DeleteRule: rules.deleteRule,
  DeleteTargetGroup: targetGroups.deleteTargetGroup,
  DeregisterTargets: targetGroups.deregisterTargets,
  DescribeListenerAttributes: attributes.describeListenerAttributes,
  DescribeListeners: listeners.describeListeners,
  DescribeLoadBalancerAttributes: attributes.describeLoadBalancerAttributes,
  DescribeLoadBalancers: loadBalancers.describeLoadBalancers,
  DescribeRules: rules.describeRules,
  DescribeTags: attributes.describeTags,
  DescribeTargetGroupAttributes: attributes.describeTargetGroupAttributes,
  DescribeTargetGroups: targetGroups.describeTargetGroups,
  DescribeTargetHealth: targetGroups.describeTargetHealth,
  ModifyListener: listeners.modifyListener,
  ModifyLoadBalancerAttributes: attributes.modifyLoadBalancerAttributes,
  ModifyRule: rules.modifyRule,
  ModifyTargetGroup: targetGroups.modifyTargetGroup,
  ModifyTargetGroupAttributes: attributes.modifyTargetGroupAttributes,
  RegisterTargets: targetGroups.registerTargets,
  RemoveTags: attributes.removeTags,
  SetRulePriorities: rules.setRulePriorities,
})
