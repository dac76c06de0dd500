import { arnIn, type Scope } from '../arns.ts'
import { ecs } from '../ecs/state.ts'
import { elb, type Rule } from '../elb/state.ts'
import { weightsIn } from '../elb/weights.ts'
import { type Alias, type LambdaFunction, lambda } from '../lambda/state.ts'
import type { World } from '../world.ts'

/** Returns a traffic share, from 0 to 1, at a timestamp. */
export type ShareAt = (at: number) => number

const none: ShareAt = () => 0
const all: ShareAt = () => 1

/** Returns the share of a load balancer's requests that reached the target group; 1 if no target group is given. */
export function shareOfTargetGroup(world: World, scope: Scope, balancerArn: string, dimension: string): ShareAt {
  if (dimension === '') return all
  const groupArn = arnIn(scope, 'elasticloadbalancing', dimension)
  const rules = elb(world)
    .listeners.having('loadBalancer', balancerArn)
    .flatMap(({ key }) => elb(world).rules.having('listener', key))
  const rule = rules.find((one) => !isForTests(world, one) && sharesOf(one).some((shares) => groupArn in shares))
  if (!rule) return none
  return (at) => {
    const then = rule.before?.find(({ until }) => at < until)?.shares ?? weightsIn(rule)
    const total = Object.values(then).reduce((sum, weight) => sum + weight, 0)
    return total === 0 ? 0 : (then[groupArn] ?? 0) / total
  }
}

const sharesOf = (rule: Rule) => [weightsIn(rule), ...(rule.before ?? []).map(({ shares }) => shares)]

/** Reports whether a rule is for test traffic, which has no requests. */
const isForTests = (world: World, { key }: Rule): boolean =>
  [...ecs(world).revisions.all()].some(({ spec }) =>
    spec.loadBalancers?.some(({ advancedConfiguration }) => advancedConfiguration?.testListenerRule === key),
  )

/**
 * Returns the share of a function's calls in a metric: all, those through an alias, or those of a version ("Types of
 * metrics for Lambda functions", read 2026-11).
 */
export function shareOfVersion(
  world: World,
  { key, name }: LambdaFunction,
  { resource, version }: { resource: string; version: string },
): ShareAt {
  const alias = lambda(world).aliases.get(`${key}:${resource.slice(name.length + 1)}`)
  if (resource !== '' && resource !== name && !alias) return none
  if (version === '') return all
  if (!alias) return none
  return (at) => shareIn(alias.before?.find(({ until }) => at < until) ?? alias, version)
}

function shareIn({ version: main, weights }: Pick<Alias, 'version' | 'weights'>, version: string): number {
  const others = Object.values(weights).reduce((sum, weight) => sum + weight, 0)
  return main === version ? 1 - others : (weights[version] ?? 0)
}
