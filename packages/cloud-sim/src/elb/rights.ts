import { arnIn } from '../arns.ts'
import { defineIamPermissions } from '../rights/right.ts'

/** Input fields that identify resources. */
interface Named {
  LoadBalancerArn?: string
  ListenerArn?: string
  RuleArn?: string
  TargetGroupArn?: string
  ResourceArns?: string[]
}

const resource = ({ LoadBalancerArn, ListenerArn, RuleArn, TargetGroupArn }: Named) =>
  RuleArn ?? ListenerArn ?? TargetGroupArn ?? LoadBalancerArn ?? '*'

const all = ({ ResourceArns = [] }: Named) => ResourceArns

/** Describe operations have no resources. */
export const elbRights = defineIamPermissions({
  AddTags: all,
  CreateListener: resource,
  CreateLoadBalancer: ({ Name, Type }: { Name?: string; Type?: string }, { caller }) =>
    arnIn(caller.scope, 'elasticloadbalancing', `loadbalancer/${Type === 'network' ? 'net' : 'app'}/${Name}/*`),
  CreateRule: resource,
  CreateTargetGroup: ({ Name }: { Name?: string }, { caller }) =>
    arnIn(caller.scope, 'elasticloadbalancing', `targetgroup/${Name}/*`),
  DeleteListener: resource,
  DeleteLoadBalancer: resource,
  DeleteRule: resource,
  DeleteTargetGroup: resource,
  DeregisterTargets: resource,
  ModifyListener: resource,
  ModifyLoadBalancerAttributes: resource,
  ModifyRule: resource,
  ModifyTargetGroup: resource,
  ModifyTargetGroupAttributes: resource,
  RegisterTargets: resource,
  RemoveTags: all,
  SetRulePriorities: ({ RulePriorities = [] }: { RulePriorities?: Named[] }) => RulePriorities.map(resource),
})
