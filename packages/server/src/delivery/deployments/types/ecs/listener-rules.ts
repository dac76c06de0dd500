import { failures, type UserFacingError } from '@sluice/contract'
import {
  isListener,
  type ProductionTraffic,
  type RuleTraffic,
  type ServiceDeploymentSnapshot,
  type TrafficShift,
} from '../../../../cloud/facts/ecs.ts'
import { present } from '../../../../platform/present.ts'
import type { ShiftedPair } from './progress.ts'
import type { EcsRelease } from './release.ts'
import type { EcsState } from './state.ts'

/**
 * Returns the pairs of target groups between which the cloud shifts traffic: from the service, or otherwise from the
 * block.
 */
export const shiftedTargetGroupPairs = ({ release, progress }: EcsState): ShiftedPair[] =>
  progress.shiftedPairs ?? (release.trafficShift ? [release.trafficShift] : [])

/** Returns the pairs with the target group that serves users before the release, if the rules show it. */
export const pairsBefore = (pairs: readonly TrafficShift[], { rules }: ProductionTraffic): ShiftedPair[] =>
  pairs.map((pair) => {
    // The cloud shifts the listener of a network load balancer differently.
    const [servingGroupArn] = isListener(pair.productionListenerRuleArn) ? [] : servingGroups(ruleOf(pair, rules))
    return { ...pair, ...present({ servingGroupArn }) }
  })

const ruleOf = ({ productionListenerRuleArn }: TrafficShift, rules: readonly RuleTraffic[]): RuleTraffic | undefined =>
  rules.find(({ ruleArn }) => ruleArn === productionListenerRuleArn)

const servingGroups = (rule: RuleTraffic | undefined): string[] => Object.keys(rule?.shares ?? {})

/** Returns why the current production listener rules block a release; undefined if they do not. */
export function misroutedRule(
  release: EcsRelease,
  pairs: readonly TrafficShift[],
  traffic: ProductionTraffic,
): UserFacingError | undefined {
  for (const pair of pairs) {
    const problem = problemOf(pair, traffic)
    if (problem) return invalidRule(release, pair, problem)
  }
  return undefined
}

type Problem = { what: string; remedy: string }

function problemOf(pair: TrafficShift, traffic: ProductionTraffic): Problem | undefined {
  const { targetGroupArn, alternateTargetGroupArn } = pair
  const rule = ruleOf(pair, traffic.rules)
  if (!rule) return { what: 'does not exist', remedy: 'Create it, or name the rule that sends users to the service.' }
  if (rule.otherActions.length > 0) {
    return {
      what: `also has actions of type ${rule.otherActions.join(', ')}`,
      remedy: 'The cloud shifts traffic only with rules that do nothing but forward. Move these actions elsewhere.',
    }
  }
  const forward = `Forward to ${targetGroupArn} or to ${alternateTargetGroupArn}, whichever has the running tasks.`
  const serving = servingGroups(rule)
  const foreign = serving.filter((arn) => arn !== targetGroupArn && arn !== alternateTargetGroupArn)
  if (foreign.length > 0) {
    return { what: `forwards to ${foreign.join(', ')}, which is not of this service`, remedy: forward }
  }
  if (serving.length !== 1) {
    const what = serving.length === 0 ? 'forwards no traffic' : 'forwards to both target groups'
    return { what, remedy: forward }
  }
  const [served = ''] = serving
  const other = served === targetGroupArn ? alternateTargetGroupArn : targetGroupArn
  const countOf = (arn: string) => traffic.targetCounts.get(arn) ?? 0
  if (countOf(served) > 0 || countOf(other) === 0) return undefined
  return {
    what: `forwards to ${served}, which is empty: the running tasks are in ${other}`,
    remedy: `Users get errors now, and would get the new version unchecked. Forward to ${other}.`,
  }
}

function invalidRule({ trafficShift }: EcsRelease, pair: TrafficShift, { what, remedy }: Problem): UserFacingError {
  const { productionListenerRuleArn: ruleArn } = pair
  return {
    code: failures.listenerRuleInvalid.code,
    message: `Cannot shift traffic: the production listener rule ${ruleArn} ${what}.`,
    description: `${remedy} Then deploy again. The service was not changed.`,
    metadata: { path: pathOf(trafficShift, ruleArn), ruleArn },
  }
}

/** Returns the path that names the rule, in the deploy block or on the service. */
const pathOf = (named: TrafficShift | undefined, ruleArn: string): string =>
  named?.productionListenerRuleArn === ruleArn
    ? 'deploy.infrastructure.ecs_production_listener_rule_arn'
    : 'loadBalancers[].advancedConfiguration.productionListenerRule'

/** Stages after a shift: the cloud has set the production rules and does not change them before the cleanup. */
const stagesAfterShift = ['POST_PRODUCTION_TRAFFIC_SHIFT', 'BAKE_TIME']

/** Reports whether to compare the production rules with the release: after a shift, until a difference was reported. */
export const mustReadRules = ({ status, progress }: EcsState, { state }: ServiceDeploymentSnapshot): boolean =>
  status === 'IN_PROGRESS' &&
  state.status === 'IN_PROGRESS' &&
  stagesAfterShift.includes(state.lifecycleStage ?? '') &&
  progress.hasReportedRule !== true &&
  (progress.shiftedPairs ?? []).some(({ servingGroupArn }) => servingGroupArn !== undefined)

/** Returns a warning if a production rule does not route as the release requested; undefined otherwise. */
export function ruleWarning(
  { progress: { shiftedPairs = [] } }: EcsState,
  { targetServiceRevision }: ServiceDeploymentSnapshot['state'],
  rules: readonly RuleTraffic[],
): string | undefined {
  const percent = targetServiceRevision?.requestedProductionTrafficWeight
  if (percent === undefined) return undefined
  for (const pair of shiftedPairs) {
    const next = nextGroupOf(pair)
    if (next === undefined) continue
    const shares = ruleOf(pair, rules)?.shares ?? {}
    if (Math.abs((shares[next] ?? 0) - percent) < maxRoundingPercent) continue
    const found = Object.entries(shares).map(([arn, share]) => `${Math.round(share)} % to ${arn}`)
    return (
      `The production listener rule ${pair.productionListenerRuleArn} forwards ${found.join(', ') || 'nothing'}, but ` +
      `the release asked for ${percent} % to ${next}. Find out what writes the rule, such as infrastructure as code ` +
      'with fixed weights, and let it ignore the weights. The release continues.'
    )
  }
  return undefined
}

/** Maximum deviation of a weight, in percent: requested weights are integers, rules round to tenths. */
const maxRoundingPercent = 1

/** Returns the target group of the new version; undefined if it is unknown which group served before. */
function nextGroupOf({ targetGroupArn, alternateTargetGroupArn, servingGroupArn }: ShiftedPair): string | undefined {
  if (servingGroupArn === undefined) return undefined
  return servingGroupArn === targetGroupArn ? alternateTargetGroupArn : targetGroupArn
}
