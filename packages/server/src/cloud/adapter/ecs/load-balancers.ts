import {
  type Action,
  DescribeListenersCommand,
  DescribeLoadBalancersCommand,
  DescribeRulesCommand,
  DescribeTargetHealthCommand,
  type ElasticLoadBalancingV2Client,
  type Listener,
  type Rule,
} from '@aws-sdk/client-elastic-load-balancing-v2'
import type { ElbListenerRule, ElbListenerState } from '@sluice/contract'
import { present } from '../../../platform/present.ts'
import { isListener, type ProductionTraffic, type RuleTraffic, type TrafficShift } from '../../facts/ecs.ts'
import type { ObservedTargetGroup } from '../../facts/running.ts'
import { CloudPermanentError, callCloud, readOptional } from '../cloud-call.ts'

/** Reads where production and test traffic goes now, with one entry per load balancer. */
export async function readListeners(
  elb: ElasticLoadBalancingV2Client,
  shifts: readonly TrafficShift[],
  now: Date,
): Promise<ElbListenerState[]> {
  const named = shifts.flatMap(({ productionListenerRuleArn: production, testListenerRuleArn: test }) =>
    test === undefined ? [production] : [production, test],
  )
  const ownRules = await rulesByArn(
    elb,
    [...new Set(named)].filter((arn) => !isListener(arn)),
  )
  const listenerArns = [...new Set([...ownRules.map(listenerArnOf), ...named.filter(isListener)])]
  const { Listeners: listeners = [] } = await callCloud(() =>
    elb.send(new DescribeListenersCommand({ ListenerArns: listenerArns })),
  )
  const rules = [
    ...ownRules,
    ...listeners.filter(({ ListenerArn = '' }) => named.includes(ListenerArn)).map(onlyRuleOf),
  ]
  const balancerArns = [...new Set(listeners.flatMap(({ LoadBalancerArn }) => LoadBalancerArn ?? []))]
  if (balancerArns.length === 0) return []
  const { LoadBalancers: balancers = [] } = await callCloud(() =>
    elb.send(new DescribeLoadBalancersCommand({ LoadBalancerArns: balancerArns })),
  )
  return balancers.map(({ LoadBalancerArn = '', DNSName = '' }) => ({
    capturedAt: now.toISOString(),
    loadBalancerArn: LoadBalancerArn,
    loadBalancerDnsName: DNSName,
    rules: listeners
      .filter((listener) => listener.LoadBalancerArn === LoadBalancerArn)
      .flatMap((listener) => rulesOf(listener, rules)),
  }))
}

async function rulesByArn(elb: ElasticLoadBalancingV2Client, RuleArns: string[]): Promise<Rule[]> {
  if (RuleArns.length === 0) return []
  return (await callCloud(() => elb.send(new DescribeRulesCommand({ RuleArns })))).Rules ?? []
}

/** Represents a listener without rules as one rule, identified by the listener's ARN. */
const onlyRuleOf = ({ ListenerArn, DefaultActions }: Listener): Rule =>
  present({ RuleArn: ListenerArn, IsDefault: true, Actions: DefaultActions })

/**
 * Returns the listener's ARN, `…:listener/app/NAME/LB/LISTENER`, of a rule's,
 * `…:listener-rule/app/NAME/LB/LISTENER/RULE`.
 */
const listenerArnOf = ({ RuleArn = '' }: Rule): string =>
  isListener(RuleArn) ? RuleArn : RuleArn.replace(':listener-rule/', ':listener/').split('/').slice(0, -1).join('/')

function rulesOf(listener: Listener, rules: Rule[]): ElbListenerRule[] {
  return rules
    .filter((rule) => listenerArnOf(rule) === listener.ListenerArn)
    .flatMap((rule) => targetsOf(rule).map((targetGroupArn) => ruleOf(listener, rule, targetGroupArn)))
}

/** Returns the target groups that receive traffic from the rule. The API has one group per entry and no weights. */
const targetsOf = ({ Actions = [] }: Rule): string[] =>
  Actions.flatMap(weightsOf).flatMap(([arn, weight]) => (weight > 0 ? [arn] : []))

function ruleOf(listener: Listener, rule: Rule, targetGroupArn: string): ElbListenerRule {
  const hostHeaders = valuesOf(rule, 'host-header')
  const pathPatterns = valuesOf(rule, 'path-pattern')
  const priority = Number(rule.Priority)
  return present({
    isDefaultRule: rule.IsDefault ?? false,
    listenerArn: listener.ListenerArn ?? '',
    port: listener.Port ?? 0,
    protocol: listener.Protocol ?? '',
    ruleArn: rule.RuleArn ?? '',
    targetGroupArn,
    targetGroupName: targetGroupName(targetGroupArn),
    rulePriority: Number.isInteger(priority) ? priority : undefined,
    hostHeaders: hostHeaders.length > 0 ? hostHeaders : undefined,
    pathPatterns: pathPatterns.length > 0 ? pathPatterns : undefined,
  })
}

function valuesOf({ Conditions = [] }: Rule, field: 'host-header' | 'path-pattern'): string[] {
  return Conditions.filter((condition) => condition.Field === field).flatMap((condition) => {
    const config = field === 'host-header' ? condition.HostHeaderConfig : condition.PathPatternConfig
    return config?.Values ?? condition.Values ?? []
  })
}

/** Returns the name in a target group's ARN, `…:targetgroup/NAME/ID`. */
const targetGroupName = (arn: string): string => arn.split('/').at(-2) ?? arn

/** Reads which target groups the production listener rules forward to, omitting rules that do not exist. */
export async function readRuleTraffic(
  elb: ElasticLoadBalancingV2Client,
  shifts: readonly TrafficShift[],
): Promise<RuleTraffic[]> {
  const arns = [...new Set(shifts.map(({ productionListenerRuleArn }) => productionListenerRuleArn))]
  const rules = await Promise.all(arns.map((arn) => findRule(elb, arn)))
  return rules.flatMap((rule) => (rule ? [trafficOf(rule)] : []))
}

/** Reads the production traffic and, if the role may read target health, the number of targets per group. */
export async function readProductionTraffic(
  elb: ElasticLoadBalancingV2Client,
  shifts: readonly TrafficShift[],
): Promise<ProductionTraffic> {
  const readHealths = () => groupHealths(elb, groupsOf(shifts))
  const [rules, healths = []] = await Promise.all([readRuleTraffic(elb, shifts), readOptional(readHealths, () => {})])
  return { rules, targetCounts: new Map(healths.map(({ arn, targets }) => [arn, targets.length])) }
}

const groupsOf = (shifts: readonly TrafficShift[]): string[] =>
  shifts.flatMap(({ targetGroupArn, alternateTargetGroupArn }) => [targetGroupArn, alternateTargetGroupArn])

async function findRule(elb: ElasticLoadBalancingV2Client, arn: string): Promise<Rule | undefined> {
  try {
    if (!isListener(arn)) return (await rulesByArn(elb, [arn]))[0]
    const { Listeners } = await callCloud(() => elb.send(new DescribeListenersCommand({ ListenerArns: [arn] })))
    return Listeners?.[0] && onlyRuleOf(Listeners[0])
  } catch (error) {
    const isMissing = error instanceof CloudPermanentError && /^(Rule|Listener)NotFound/.test(error.reason)
    if (isMissing) return undefined
    throw error
  }
}

function trafficOf({ RuleArn = '', Actions = [] }: Rule): RuleTraffic {
  const weights = Actions.flatMap(weightsOf).filter(([, weight]) => weight > 0)
  const total = weights.reduce((sum, [, weight]) => sum + weight, 0)
  return {
    ruleArn: RuleArn,
    shares: Object.fromEntries(weights.map(([arn, weight]) => [arn, (weight / total) * 100])),
    otherActions: Actions.flatMap(({ Type }) => (Type === undefined || Type === 'forward' ? [] : [Type as string])),
  }
}

/** Returns the target groups of a forward action with their weights. A single target group gets the full weight. */
function weightsOf({ Type, TargetGroupArn, ForwardConfig }: Action): [arn: string, weight: number][] {
  if (Type !== 'forward') return []
  const { TargetGroups: groups = [] } = ForwardConfig ?? {}
  if (groups.length === 0) return TargetGroupArn === undefined ? [] : [[TargetGroupArn, 1]]
  return groups.map(({ TargetGroupArn: arn = '', Weight = 1 }) => [arn, Weight])
}

/** Returns one message per unhealthy target in the target groups of these traffic shifts. */
export async function unhealthyTargets(
  elb: ElasticLoadBalancingV2Client,
  shifts: readonly TrafficShift[],
): Promise<string[]> {
  const groups = groupsOf(shifts)
  const lines = await Promise.all(
    groups.map(async (TargetGroupArn) => {
      const answer = await callCloud(() => elb.send(new DescribeTargetHealthCommand({ TargetGroupArn })))
      return (answer.TargetHealthDescriptions ?? []).flatMap(({ Target, TargetHealth }) => {
        const { State, Reason, Description } = TargetHealth ?? {}
        if (State === undefined || State === 'healthy' || State === 'initial') return []
        const why = [Reason, Description].filter((part) => part !== undefined).join(': ')
        return [`${Target?.Id} in ${targetGroupName(TargetGroupArn)} is ${State}${why ? ` (${why})` : ''}`]
      })
    }),
  )
  return lines.flat()
}

/** Target group with the health of each of its targets. */
export type GroupHealth = { arn: string; targets: { address: string; state: string; reason: string | undefined }[] }

/** Reads target health for each of the target groups. */
export async function groupHealths(
  elb: ElasticLoadBalancingV2Client,
  groupArns: readonly string[],
): Promise<GroupHealth[]> {
  const healths: GroupHealth[] = []
  for (const arn of new Set(groupArns)) {
    const answer = await callCloud(() => elb.send(new DescribeTargetHealthCommand({ TargetGroupArn: arn })))
    const targets = (answer.TargetHealthDescriptions ?? []).map(({ Target, TargetHealth = {} }) => {
      const { State = '', Reason, Description } = TargetHealth
      const reason = [Reason, Description].filter((part) => part !== undefined).join(': ')
      return { address: Target?.Id ?? '', state: State, reason: reason === '' ? undefined : reason }
    })
    healths.push({ arn, targets })
  }
  return healths
}

/**
 * Returns the health of each target by address. A target in several groups is healthy if any group reports it healthy.
 */
export function targetStates(
  healths: readonly GroupHealth[],
): Map<string, { isHealthy: boolean; reason: string | undefined }> {
  const states = new Map<string, { isHealthy: boolean; reason: string | undefined }>()
  for (const { address, state, reason } of healths.flatMap(({ targets }) => targets)) {
    // Other states, such as `initial` or `unused`, say nothing about the target.
    if (address === '' || (state !== 'healthy' && state !== 'unhealthy')) continue
    if (states.get(address)?.isHealthy) continue
    states.set(address, { isHealthy: state === 'healthy', reason })
  }
  return states
}

/** Returns the number of targets and of healthy targets in a group. */
export const summarizeGroupHealth = ({ arn, targets }: GroupHealth): ObservedTargetGroup => ({
  arn,
  name: targetGroupName(arn),
  targetCount: targets.length,
  healthyCount: targets.filter(({ state }) => state === 'healthy').length,
})
