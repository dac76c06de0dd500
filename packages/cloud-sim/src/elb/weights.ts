import type { World } from '../world.ts'
import { forwardedTo } from './actions.ts'
import { elb, type Rule } from './state.ts'

/**
 * Finds a rule by its ARN, or a listener's default rule by the listener's ARN, because network load balancers have no
 * other rules.
 */
export function findRule(world: World, arn: string): Rule | undefined {
  return (
    elb(world).rules.get(arn) ??
    elb(world)
      .rules.having('listener', arn)
      .find((rule) => rule.isDefault)
  )
}

/** Sets the weights of a rule's forward action during a service deployment. */
export function setWeights(world: World, ruleArn: string, weights: Map<string, number>): void {
  const rule = findRule(world, ruleArn)
  if (!rule) return // deleted during the deployment
  const then = { until: world.clock.timestamp(), shares: weightsIn(rule) }
  rule.before = [...(rule.before ?? []), then].slice(-maxEarlierShares)
  const groups = [...weights].map(([TargetGroupArn, Weight]) => ({ TargetGroupArn, Weight }))
  rule.actions = rule.actions.map((action) => {
    if (action.Type !== 'forward') return action
    const { TargetGroupArn: _single, ...rest } = action
    return { ...rest, ForwardConfig: { ...action.ForwardConfig, TargetGroups: groups } }
  })
  elb(world).rules.save(rule)
}

/** Maximum number of earlier traffic shares, more than one release creates. */
const maxEarlierShares = 200

/** Returns the current weights of a rule's target groups. */
export const weightsIn = ({ actions }: Pick<Rule, 'actions'>): Record<string, number> =>
  Object.fromEntries(
    actions.flatMap(forwardedTo).map(({ TargetGroupArn = '', Weight }) => [TargetGroupArn, Number(Weight ?? 1)]),
  )
