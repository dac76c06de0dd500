import type { CloudClients } from '../../../cloud/adapter/access.ts'
import { readAlarms } from '../../../cloud/adapter/alarms.ts'
import { CloudPermanentError } from '../../../cloud/adapter/cloud-call.ts'
import type { GroupHealth } from '../../../cloud/adapter/ecs/load-balancers.ts'
import { groupHealths, readProductionTraffic } from '../../../cloud/adapter/ecs/load-balancers.ts'
import type { ServiceFacts, Unchecked } from '../../../cloud/facts/ecs.ts'
import { present } from '../../../platform/present.ts'
import type { EcsRelease } from '../../deployments/types/ecs/release.ts'
import {
  alarmNamesOf,
  alarmWarnings,
  type Preparation,
  pairsOfRelease,
  type ReleaseWarning,
  releaseBlocker,
  ruleWarnings,
} from '../../deployments/types/ecs/service-checks.ts'
import { type Fact, readFact } from '../facts.ts'
import { type CheckResult, checkFact, combined, type Finding, resultWithFindings } from '../findings.ts'

/** Checks the running service for a release: its configuration, alarms, listener rules and targets. */
export async function checkRunningService(
  { elb, metrics }: CloudClients,
  release: EcsRelease,
  facts: ServiceFacts,
): Promise<CheckResult> {
  const pairs = pairsOfRelease(release, facts)
  const alarmNames = alarmNamesOf(release, facts)
  const [traffic, alarms, ...groups] = await Promise.all([
    pairs.length > 0
      ? readFact('elasticloadbalancing:DescribeRules and elasticloadbalancing:DescribeListeners', () =>
          readProductionTraffic(elb, pairs),
        )
      : undefined,
    alarmNames.length > 0 ? readFact('cloudwatch:DescribeAlarms', () => readAlarms(metrics, alarmNames)) : undefined,
    ...targetGroupsOf(release, facts).map((arn) => checkTargetGroup(elb, arn)),
  ])
  const preparation = present({ ...facts, traffic: traffic && asReading(traffic), alarms: alarms && asReading(alarms) })
  return combined([
    checkSupport(release, preparation),
    ...[...alarmWarnings(release, preparation), ...ruleWarnings(release, preparation)].map(asResult),
    ...groups,
  ])
}

function targetGroupsOf({ trafficShift }: EcsRelease, { routing }: ServiceFacts): string[] {
  const ofService = (routing?.balancers ?? []).flatMap(({ targetGroupArn, advancedConfiguration }) => [
    targetGroupArn,
    advancedConfiguration?.alternateTargetGroupArn,
  ])
  const all = [...ofService, trafficShift?.targetGroupArn, trafficShift?.alternateTargetGroupArn]
  return [...new Set(all.flatMap((arn) => arn ?? []))]
}

async function checkTargetGroup(elb: CloudClients['elb'], arn: string): Promise<CheckResult> {
  const fact = await readFact('elasticloadbalancing:DescribeTargetHealth', () => readTargets(elb, arn))
  const about = { code: 'TARGETS_UNHEALTHY', subject: `the targets of ${arn}` } as const
  return checkFact(about, fact, (health) => (health ? checkTargets(health) : [missingTargetGroup(arn)]))
}

async function readTargets(elb: CloudClients['elb'], arn: string): Promise<GroupHealth | undefined> {
  try {
    return (await groupHealths(elb, [arn]))[0]
  } catch (error) {
    if (error instanceof CloudPermanentError && error.reason === 'TargetGroupNotFoundException') return undefined
    throw error
  }
}

const missingTargetGroup = (arn: string): Finding => ({
  severity: 'ERROR',
  code: 'TARGET_GROUP_MISSING',
  message: `The target group ${arn} does not exist.`,
  remedy: 'Create it, or correct the load balancers of the service or deploy.infrastructure.',
})

/** Warns about failing health checks of the running version, because a similar version will fail them, too. */
export function checkTargets({ arn, targets }: GroupHealth): Finding[] {
  const unhealthy = targets.filter(({ state }) => state === 'unhealthy')
  const [first] = unhealthy
  if (!first) return []
  const reason = first.reason === undefined ? '' : ` (${first.reason})`
  return [
    {
      severity: 'WARNING',
      code: 'TARGETS_UNHEALTHY',
      message: `${unhealthy.length} of ${targets.length} targets of the running version in ${arn} are unhealthy${reason}.`,
      remedy: 'Serve the path of the health check, or correct the health check of the target group.',
    },
  ]
}

/** Returns the reason and remedy in the form in which a starting release records them. */
function asReading<T>(fact: Fact<T>): T | Unchecked {
  if ('value' in fact) return fact.value
  const { reason, remedy } = fact.unread
  return { unchecked: remedy === undefined ? reason : `${reason} ${remedy}` }
}

/** Returns the reasons for which a release would fail at its start. */
function checkSupport(release: EcsRelease, preparation: Preparation): CheckResult {
  const blocker = releaseBlocker(release, preparation)
  if (!blocker) return resultWithFindings()
  const { code, message, description = '', metadata } = blocker
  const isRule = code.endsWith(':LISTENER_RULE_INVALID')
  return resultWithFindings(
    present({
      severity: 'ERROR' as const,
      code: isRule ? ('LISTENER_RULE_INVALID' as const) : ('SERVICE_NOT_SUPPORTED' as const),
      message,
      remedy: description,
      path: typeof metadata?.path === 'string' ? metadata.path : undefined,
    }),
  )
}

/**
 * Converts a warning about alarms. A missing alarm makes the cloud reject the release; an active one only leaves it
 * unguarded.
 */
function asResult({ code, message, remedy }: ReleaseWarning): CheckResult {
  if (remedy === undefined) return { findings: [], unchecked: [{ code, message }] }
  const severity: Finding['severity'] = code === 'ALARM_MISSING' ? 'ERROR' : 'WARNING'
  return resultWithFindings({ severity, code, message, remedy, path: 'deploy.alarms' })
}
