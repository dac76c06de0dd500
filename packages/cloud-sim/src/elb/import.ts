import type {
  Listener as ListenerShape,
  LoadBalancer as LoadBalancerShape,
  Rule as RuleShape,
  TargetGroup as TargetGroupShape,
} from '@aws-sdk/client-elastic-load-balancing-v2'
import { arns, scopeOfArn } from '../arns.ts'
import type { World } from '../world.ts'
import { elb } from './state.ts'

/** Load balancers of an account, as described by AWS. */
export interface ImportedLoadBalancing {
  loadBalancers: LoadBalancerShape[]
  listeners: ListenerShape[]
  rules: RuleShape[]
  targetGroups: TargetGroupShape[]
}

/** Creates the load balancers under their names, without targets, which services register themselves. */
export function importLoadBalancing(world: World, { loadBalancers, listeners, ...imported }: ImportedLoadBalancing) {
  for (const one of loadBalancers) {
    const { LoadBalancerArn: key = '', LoadBalancerName: name = '', Type, Scheme = 'internet-facing' } = one
    elb(world).loadBalancers.save({
      key,
      scope: scopeOfArn(key),
      name,
      scheme: Scheme,
      type: Type === 'network' ? 'network' : 'application',
      dnsName: one.DNSName ?? '',
      subnets: (one.AvailabilityZones ?? []).flatMap(({ SubnetId }) => SubnetId ?? []),
      securityGroups: one.SecurityGroups ?? [],
      createdAt: world.clock.timestamp(),
      attributes: {},
      tags: [],
    })
  }
  for (const {
    TargetGroupArn: key = '',
    TargetGroupName: name = '',
    Port,
    LoadBalancerArns: _,
    ...shape
  } of imported.targetGroups) {
    const group = { key, scope: scopeOfArn(key), name, port: Number(Port ?? 80), shape }
    elb(world).targetGroups.save({ ...group, targets: [], attributes: {}, tags: [] })
  }
  for (const {
    ListenerArn: key = '',
    LoadBalancerArn: loadBalancerArn = '',
    Port,
    Protocol = 'HTTP',
    DefaultActions,
  } of listeners) {
    const scope = scopeOfArn(key)
    const listener = { key, scope, loadBalancerArn, port: Number(Port), protocol: Protocol }
    elb(world).listeners.save({ ...listener, certificates: [], tags: [] })
    const actions = DefaultActions ?? []
    const rule = { key: arns.rule(key), scope, listenerArn: key, priority: 'default', isDefault: true }
    elb(world).rules.save({ ...rule, conditions: [], actions, tags: [] })
  }
  for (const rule of imported.rules) importRule(world, rule)
}

/** Creates a rule, or resets an existing one to the account's actions. */
export function importRule(
  world: World,
  { RuleArn: key = '', Priority = '', Conditions = [], Actions = [] }: RuleShape,
) {
  const listenerArn = key.replace(':listener-rule/', ':listener/').split('/').slice(0, -1).join('/')
  const rule = { key, scope: scopeOfArn(key), listenerArn, priority: Priority, isDefault: false }
  elb(world).rules.save({ ...rule, conditions: Conditions, actions: Actions, tags: [] })
}
