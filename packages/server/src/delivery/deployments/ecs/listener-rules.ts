import { failures, type UserFacingError } from '@sluice/contract'
import type {
  ProductionTraffic,
  RuleTraffic,
  ServiceDeploymentSnapshot,
  TrafficShift,
} from '../../../cloud/facts/ecs.ts'
import { present } from '../../../platform/present.ts'
import type { PollPace } from '../standing.ts'
import type { ShiftedPair } from './progress.ts'
import type { EcsRelease } from './release.ts'
import type { EcsStanding } from './standing.ts'

/** The pairs of target groups between which the cloud shifts traffic: those read from the service, else the block's. */
export const shiftedPairsOf = ({ release, progress }: EcsStanding): ShiftedPair[] =>
  progress.shiftedPairs ?? (release.trafficShift ? [release.trafficShift] : [])

/** The pairs with the target group that serves users before the release, where the rule names exactly one. */
export const pairsBefore = (pairs: readonly TrafficShift[], traffic: ProductionTraffic | undefined): ShiftedPair[] =>
  pairs.map((pair) => {
    const serving = servingGroups(ruleOf(pair, traffic?.rules ?? []))
    return { ...pair, ...present({ servingGroupArn: serving.length === 1 ? serving[0] : undefined }) }
  })

const ruleOf = ({ productionListenerRuleArn }: TrafficShift, rules: readonly RuleTraffic[]): RuleTraffic | undefined =>
  rules.find(({ ruleArn }) => ruleArn === productionListenerRuleArn)

const servingGroups = (rule: RuleTraffic | undefined): string[] => Object.keys(rule?.shares ?? {})

/** Why a release must not begin where the production listener rules send traffic now; undefined if it may. */
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

/** Where the rule is named: in the deploy block, or on the service. */
const pathOf = (named: TrafficShift | undefined, ruleArn: string): string =>
  named?.productionListenerRuleArn === ruleArn
    ? 'deploy.infrastructure.ecs_production_listener_rule_arn'
    : 'loadBalancers[].advancedConfiguration.productionListenerRule'

/** Percentage points that rounding may take: requested weights are whole, rules have tenths. */
const tolerance = 0.6

/** Whether a rule sends users to the new version as the release asked for. */
function isAsRequested(pair: ShiftedPair, rules: readonly RuleTraffic[], percent: number): boolean {
  const { targetGroupArn, alternateTargetGroupArn, servingGroupArn } = pair
  if (servingGroupArn === undefined) return true
  const before = ruleOf(pair, rules)?.shares ?? {}
  const next = servingGroupArn === targetGroupArn ? alternateTargetGroupArn : targetGroupArn
  const isClose = (share: number | undefined, wanted: number) => Math.abs((share ?? 0) - wanted) <= tolerance
  return isClose(before[next], percent) && isClose(before[servingGroupArn], 100 - percent)
}

/** Whether the rules are to be read: users have begun to get the new version, and the cloud will not look again. */
export const mustReadRules = (standing: EcsStanding, { state }: ServiceDeploymentSnapshot): boolean =>
  standing.status === 'IN_PROGRESS' &&
  state.status === 'IN_PROGRESS' &&
  percentOf(state) > 0 &&
  shiftedPairsOf(standing).some(({ servingGroupArn }) => servingGroupArn !== undefined)

const percentOf = ({ targetServiceRevision }: ServiceDeploymentSnapshot['state']): number =>
  targetServiceRevision?.requestedProductionTrafficWeight ?? 0

/** The stage at which the cloud writes production rules. */
const shiftStage = 'PRODUCTION_TRAFFIC_SHIFT'

/** The share that the rules are compared with, and since when they differ from it. */
export type RuleWatch = { percent: number; differsSince?: string }

/**
 * Takes in a reading of the rules. A difference counts if the rules were right at the same share before, or if the
 * cloud has left the stage at which it writes them, and only if it stays: rules and share change at different moments.
 */
export function watchRules(
  standing: EcsStanding,
  state: ServiceDeploymentSnapshot['state'],
  rules: readonly RuleTraffic[],
  now: Date,
): EcsStanding {
  const percent = percentOf(state)
  const { ruleWatch } = standing.progress
  const isRight = shiftedPairsOf(standing).every((pair) => isAsRequested(pair, rules, percent))
  const isShifting = (state.lifecycleStage ?? shiftStage) === shiftStage
  if (!isRight && ruleWatch?.percent !== percent && isShifting) {
    const { ruleWatch: _, ...progress } = standing.progress
    return { ...standing, progress }
  }
  const before = ruleWatch?.percent === percent ? ruleWatch.differsSince : undefined
  const differsSince = isRight ? undefined : (before ?? now.toISOString())
  const quiet = isRight ? standing.progress.quiet : 0
  return { ...standing, progress: { ...standing.progress, quiet, ruleWatch: present({ percent, differsSince }) } }
}

/** Whether a rule was changed: it has differed for longer than the cloud takes to report a shift. */
export const isRuleChanged = ({ progress: { ruleWatch } }: EcsStanding, pace: PollPace, now: Date): boolean =>
  ruleWatch?.differsSince !== undefined && now.getTime() - Date.parse(ruleWatch.differsSince) >= pace.maxMs

/** Returns the error of a release during which a production listener rule was changed. */
export function ruleChanged(
  standing: EcsStanding,
  state: ServiceDeploymentSnapshot['state'],
  rules: readonly RuleTraffic[],
): UserFacingError {
  const percent = percentOf(state)
  const changed = shiftedPairsOf(standing).find((pair) => !isAsRequested(pair, rules, percent))
  const ruleArn = changed?.productionListenerRuleArn ?? ''
  const shares = Object.entries((changed && ruleOf(changed, rules)?.shares) ?? {})
  const found = shares.map(([arn, share]) => `${Math.round(share)} % to ${arn}`).join(', ') || 'nothing'
  return {
    code: failures.listenerRuleChanged.code,
    message: `The production listener rule ${ruleArn} was changed during the release, so the release was rolled back.`,
    description:
      `The new version was to get ${percent} % of the traffic, but the rule now forwards ${found}. Find out what ` +
      'writes the rule, such as infrastructure as code with fixed weights, let it ignore weights, and deploy again.',
    metadata: { path: pathOf(standing.release.trafficShift, ruleArn), ruleArn },
  }
}
