import type { LoadBalancer, VpcLatticeConfiguration } from '@aws-sdk/client-ecs'
import type { Scope } from '../arns.ts'
import { forwardedTo } from '../elb/actions.ts'
import { elb, type Rule } from '../elb/state.ts'
import { loadBalancersOf } from '../elb/target-groups.ts'
import { findRule } from '../elb/weights.ts'
import { invalidParameter } from '../errors.ts'
import type { World } from '../world.ts'
import type { RevisionSpec } from './service-records.ts'

// Rules and messages: developer guide, "Troubleshooting Amazon ECS blue/green deployments", read 2026-11.

type Routing = Pick<
  RevisionSpec,
  'loadBalancers' | 'serviceConnectConfiguration' | 'serviceRegistries' | 'vpcLatticeConfigurations'
>

/** Rejects load balancers that are invalid, inconsistent or incompatible with the strategy. */
export function checkTrafficShift(world: World, scope: Scope, strategy: string, routing: Routing): void {
  const { loadBalancers = [] } = routing
  for (const loadBalancer of loadBalancers) checkLoadBalancer(world, scope, loadBalancer)
  checkTogether(loadBalancers)
  if (strategy === 'ROLLING') return
  if (loadBalancers.some(({ advancedConfiguration }) => !advancedConfiguration)) {
    const message =
      'advancedConfiguration field is required for all loadBalancers when using a non-ROLLING deployment strategy'
    throw invalidParameter(message)
  }
  for (const lattice of routing.vpcLatticeConfigurations ?? []) checkLattice(strategy, lattice)
  if (shiftsTraffic(routing)) return
  checkDiscovery(strategy, routing)
  // Blue/green replaces all tasks at once, so it needs no traffic shift ("Required resources", developer guide).
  if (strategy === 'BLUE_GREEN') return
  throw invalidParameter(
    `The ${strategy} deployment strategy requires a load balancer, Service Connect or VPC Lattice to shift traffic.`,
  )
}

/**
 * Rejects VPC Lattice settings between which no traffic can be shifted: "VPC Lattice resources for blue/green, linear,
 * and canary deployments" requires a second target group and a production rule. The messages are not AWS's.
 */
function checkLattice(strategy: string, { targetGroupArn, advancedConfiguration }: VpcLatticeConfiguration): void {
  const { alternateTargetGroupArn, productionListenerRule } = advancedConfiguration ?? {}
  if (!alternateTargetGroupArn || !productionListenerRule) {
    throw invalidParameter(
      `The ${strategy} deployment strategy requires alternateTargetGroupArn and productionListenerRule in the advancedConfiguration of the VPC Lattice target group ${targetGroupArn}.`,
    )
  }
  if (alternateTargetGroupArn !== targetGroupArn) return
  throw invalidParameter('alternateTargetGroupArn must be different from targetGroupArn.')
}

/**
 * Rejects services that are reached through service discovery alone. "Required resources for Amazon ECS blue/green
 * deployments" lists only those "that don't use Service Discovery" beside load balancers, Service Connect and VPC
 * Lattice. The message is not AWS's.
 */
function checkDiscovery(strategy: string, { serviceRegistries = [] }: Routing): void {
  if (serviceRegistries.length === 0) return
  throw invalidParameter(`The ${strategy} deployment strategy does not support services that use service discovery.`)
}

const shiftsTraffic = ({
  loadBalancers = [],
  serviceConnectConfiguration,
  vpcLatticeConfigurations = [],
}: Routing): boolean =>
  loadBalancers.length > 0 || serviceConnectConfiguration?.enabled === true || vpcLatticeConfigurations.length > 0

function checkTogether(loadBalancers: LoadBalancer[]): void {
  const advanced = loadBalancers.flatMap(({ advancedConfiguration }) => advancedConfiguration ?? [])
  if (advanced.length > 0 && advanced.length < loadBalancers.length) {
    throw invalidParameter('Either all or none of the provided loadBalancers must have advancedConfiguration defined')
  }
  const groups = loadBalancers.map(({ targetGroupArn }) => targetGroupArn)
  const repeated = groups.find((arn, index) => groups.indexOf(arn) !== index)
  if (repeated) throw invalidParameter(`Duplicate targetGroupArn found: ${repeated}`)
  const production = advanced.map(({ productionListenerRule }) => productionListenerRule)
  const both = advanced.flatMap(({ testListenerRule: rule }) => (rule && production.includes(rule) ? [rule] : []))
  if (both.length === 0) return
  throw invalidParameter(
    `The following rules cannot be used as both production and test listener rules: ${both.join(', ')}`,
  )
}

function checkLoadBalancer(world: World, scope: Scope, loadBalancer: LoadBalancer): void {
  const { targetGroupArn = '', containerName, containerPort, advancedConfiguration } = loadBalancer
  if (!containerName || !containerPort)
    throw invalidParameter('containerName and containerPort are required for a load balancer.')
  checkTargetGroup(world, scope, targetGroupArn)
  const group = elb(world).targetGroups.get(targetGroupArn)
  if (group && loadBalancersOf(world, group).length === 0) {
    const message = `The target group with targetGroupArn ${targetGroupArn} does not have an associated load balancer.`
    throw invalidParameter(message)
  }
  if (!advancedConfiguration) return
  const { alternateTargetGroupArn, productionListenerRule, testListenerRule, roleArn } = advancedConfiguration
  if (!alternateTargetGroupArn) throw invalidParameter('advancedConfiguration requires alternateTargetGroupArn.')
  if (!productionListenerRule) throw invalidParameter('advancedConfiguration requires productionListenerRule.')
  if (!roleArn) throw invalidParameter('advancedConfiguration requires roleArn.')
  if (!/^arn:aws:iam::\d{12}:role\/.+$/.test(roleArn)) throw invalidParameter(`Invalid roleArn: ${roleArn}.`)
  checkTargetGroup(world, scope, alternateTargetGroupArn)
  if (alternateTargetGroupArn === targetGroupArn) {
    throw invalidParameter('alternateTargetGroupArn must be different from targetGroupArn.')
  }
  const rule = existingRule(world, scope, 'productionListenerRule', productionListenerRule)
  if (testListenerRule) existingRule(world, scope, 'testListenerRule', testListenerRule)
  const isApplication = productionListenerRule.includes(':listener-rule/')
  const groups = groupsOf(rule)
  if (
    testListenerRule ||
    !isApplication ||
    [targetGroupArn, alternateTargetGroupArn].every((arn) => groups.includes(arn))
  )
    return
  const message =
    'For Application LoadBalancer, testListenerRule is required when productionListenerRule is not associated with both targetGroup and alternateTargetGroup'
  throw invalidParameter(message)
}

function checkTargetGroup(world: World, scope: Scope, arn: string): void {
  if (elb(world).targetGroups.get(arn)?.scope === scope) return
  throw invalidParameter(`Unable to find the specified target group: ${arn}`)
}

function existingRule(world: World, scope: Scope, field: string, arn: string): Rule {
  if (!/:listener-rule\/app\/|:listener\/net\//.test(arn)) {
    throw invalidParameter(
      `${field} has an invalid ARN format. Must be RuleArn for ALB or ListenerArn for NLB. Got: ${arn}`,
    )
  }
  const rule = findRule(world, arn)
  if (rule?.scope !== scope) throw invalidParameter(`Unable to find the specified listener rule: ${arn}`)
  const others = rule.actions.flatMap(({ Type = '' }) => (Type === 'forward' ? [] : [Type]))
  if (others.length === 0) return rule
  // "Application Load Balancer resources for blue/green, linear, and canary deployments"; the message is not AWS's.
  throw invalidParameter(
    `${field} ${arn} must have forward actions only, but has actions of type ${others.join(', ')}.`,
  )
}

const groupsOf = ({ actions }: Rule): string[] =>
  actions.flatMap(forwardedTo).map(({ TargetGroupArn = '' }) => TargetGroupArn)
