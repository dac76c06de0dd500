import { type DeploymentCheck, type DeploymentCheckCode, failures, type UserFacingError } from '@sluice/contract'
import type {
  AlarmReading,
  MissingParts,
  ProductionTraffic,
  ServiceFacts,
  TrafficShift,
  Unchecked,
} from '../../../../cloud/facts/ecs.ts'
import {
  type Balancer,
  isBalancedBetween,
  shiftBlocker,
  trafficShiftsOf,
} from '../../../../cloud/facts/ecs-configuration.ts'
import { present } from '../../../../platform/present.ts'
import { misroutedRule, pairsBefore } from './listener-rules.ts'
import type { ShiftedPair } from './progress.ts'
import type { EcsRelease } from './release.ts'

/** Results of checks of what new tasks need to start. */
export type StartChecks = Pick<DeploymentCheck, 'findings' | 'unchecked'>

/** Data that is read before the service is changed. */
export type Preparation = ServiceFacts & {
  /** Whether the revision to release again is deregistered. */
  isDeregistered?: boolean
  /** Parts that the release to repeat needs and that are missing from the account. */
  missing?: MissingParts
  /** Set if the release shifts traffic by listener rules. */
  traffic?: ProductionTraffic | Unchecked
  alarms?: AlarmReading | Unchecked
  /** Results of checks of what the new tasks need to start. */
  checks?: StartChecks
}

/** Returns the pairs of target groups between which the release shifts traffic, from the block and from the service. */
export function pairsOfRelease({ strategy, trafficShift }: EcsRelease, { routing }: ServiceFacts): TrafficShift[] {
  if (strategy.type === 'rolling') return []
  const { balancers = [] } = routing ?? {}
  const ownPairs = trafficShiftsOf(furtherBalancers(balancers, trafficShift))
  return trafficShift ? [trafficShift, ...ownPairs] : ownPairs
}

/**
 * Returns the load balancers of the service except the one that the block names, which is configured with the release.
 */
const furtherBalancers = (balancers: readonly Balancer[], named: TrafficShift | undefined): Balancer[] =>
  balancers.filter((balancer) => !named || !isBalancedBetween(balancer, named))

/** Returns the alarms that guard the release. */
export const alarmNamesOf = ({ alarms }: EcsRelease, facts: ServiceFacts): string[] => alarms ?? facts.alarmNames ?? []

/** Returns why the release cannot start; undefined if it can. Nothing has been changed at this point. */
export function releaseBlocker(release: EcsRelease, found: Preparation): UserFacingError | undefined {
  return unsupportedService(release, found) ?? (release.isRollback ? undefined : misrouting(release, found))
}

function unsupportedService({ strategy, trafficShift }: EcsRelease, found: Preparation): UserFacingError | undefined {
  const { controller = 'ECS', schedulingStrategy, routing } = found
  if (controller !== 'ECS') {
    return notSupported(
      `its deployment controller is ${controller}`,
      `Release it with ${controller}, or change its deploymentController to ECS.`,
      'deploymentController',
    )
  }
  if (schedulingStrategy === 'DAEMON' && strategy.type !== 'rolling') {
    return notSupported(
      `it is a daemon, of which no second set of tasks can run for a ${strategy.type} release`,
      'Use the strategy rolling.',
      'deploy.strategy.type',
    )
  }
  if (trafficShift && routing && !routing.balancers.some((one) => isBalancedBetween(one, trafficShift))) {
    return notSupported(
      `it has no target group ${trafficShift.targetGroupArn}`,
      'Name a target group of the service, or leave all parts of its load balancer to the service.',
      'deploy.infrastructure.ecs_target_group_arn',
    )
  }
  const balancers = furtherBalancers(routing?.balancers ?? [], trafficShift)
  const isRouted = trafficShift !== undefined || (routing?.isInMesh ?? true)
  const blocker = shiftBlocker(strategy.type, { ...routing, balancers, isRouted })
  return blocker && notSupported(blocker.reason, blocker.remedy, 'deploy.strategy.type')
}

const notSupported = (reason: string, remedy: string, path: string): UserFacingError => ({
  code: failures.serviceNotSupported.code,
  message: `Cannot release to the service: ${reason}.`,
  description: `${remedy} The service was not changed.`,
  metadata: { path },
})

/**
 * Returns the listener rule that blocks a release. Skipped while another release is in progress or has failed, because
 * the cloud reconciles the rules first.
 */
function misrouting(release: EcsRelease, found: Preparation): UserFacingError | undefined {
  const traffic = settledTraffic(found)
  return traffic && misroutedRule(release, pairsOfRelease(release, found), traffic)
}

const settledTraffic = ({ isSettled, traffic }: Preparation): ProductionTraffic | undefined =>
  isSettled && traffic && 'rules' in traffic ? traffic : undefined

/** Returns the pairs of the release. The serving group is known only for a settled service without a misrouted rule. */
export function pairsToShift(release: EcsRelease, found: Preparation): ShiftedPair[] {
  const pairs = pairsOfRelease(release, found)
  const traffic = settledTraffic(found)
  return traffic && !misrouting(release, found) ? pairsBefore(pairs, traffic) : pairs
}

/** Returns the error of a release whose tasks cannot start; undefined if they can. Nothing was changed yet. */
export function failedChecks({ checks }: Preparation): UserFacingError | undefined {
  const errors = (checks?.findings ?? []).filter(({ severity }) => severity === 'ERROR')
  const [first, ...others] = errors
  if (!first) return undefined
  const items = others.map(({ message, remedy }) => `${message} ${remedy}`)
  return {
    code: failures.checkFailed.code,
    message: `The release cannot start. ${first.message}`,
    description: `${first.remedy} The service was not changed.`,
    ...(items.length > 0 && { details: [{ title: 'Further reasons', render: 'list' as const, items }] }),
    metadata: present({ check: first.code, path: first.path }),
  }
}

/** Returns what the user must know although the release continues, one sentence each. */
export function warningsOf(release: EcsRelease, found: Preparation): string[] {
  const misrouted = release.isRollback ? misrouting(release, found) : undefined
  return [
    ...[...alarmWarnings(release, found), ...ruleWarnings(release, found)].map(asNote),
    ...(misrouted ? [misrouted.message] : []),
    ...discoveryWarnings(release, found),
    ...imageWarnings(found.missing).map((warning) => `${warning} The release continues.`),
    ...checkWarnings(found.checks),
  ]
}

/**
 * Returns the warnings of checks. Unchecked parts are not a warning, because every release with an older connected role
 * would repeat it.
 */
function checkWarnings({ findings }: Pick<StartChecks, 'findings'> = { findings: [] }): string[] {
  const warnings = findings.filter(({ severity }) => severity === 'WARNING')
  const lines = warnings.map(({ message, remedy }) => `${message} ${remedy}`)
  return lines.length === 0 ? [] : [`${lines.join(' ')} The release continues.`]
}

/** Problem or unchecked part of a release that does not block it. */
export type ReleaseWarning = {
  code: DeploymentCheckCode
  message: string
  /** Absent if the part could not be checked. */
  remedy?: string
}

const asNote = ({ message, remedy = 'The release continues.' }: ReleaseWarning): string => `${message} ${remedy}`

/** Returns the warning about requests that bypass the traffic shift. */
const discoveryWarnings = ({ strategy }: EcsRelease, { routing }: Preparation): string[] =>
  strategy.type === 'rolling' || !routing?.isDiscovered
    ? []
    : [
        'Service discovery (serviceRegistries) sends requests to the new tasks as soon as they run, before traffic is ' +
          'shifted. Clients that should follow the traffic shift must use the load balancer or Service Connect. ' +
          'The release continues.',
      ]

/**
 * Returns warnings for missing images. They do not block the release, because the cloud fetches an image of a
 * pull-through cache again.
 */
const imageWarnings = (missing: MissingParts | undefined): string[] =>
  (missing?.images ?? []).map(
    (image) =>
      `The image ${image} is not in its registry. Unless the registry fetches it again, as a pull-through cache does, ` +
      'no task starts. Push the image again under the same name, or release another version.',
  )

/** Returns warnings for missing parts of the version that a rollback restores. */
export const revertWarnings = (missing: MissingParts): string[] =>
  [
    ...imageWarnings(missing),
    ...missing.logGroups.map(
      (name) => `The log group ${name} no longer exists, so no task of the version before starts. Create it again.`,
    ),
  ].map((warning) => `${warning} The rollback continues.`)

/** Returns the warnings if the production listener rules could not be read. */
export function ruleWarnings(release: EcsRelease, found: Preparation): ReleaseWarning[] {
  const { traffic } = found
  if (!traffic || 'rules' in traffic) return []
  const arns = pairsOfRelease(release, found).map(({ productionListenerRuleArn }) => productionListenerRuleArn)
  return [notChecked('LISTENER_RULE_INVALID', `production listener rules ${arns.join(', ')}`, traffic)]
}

const notChecked = (code: DeploymentCheckCode, what: string, { unchecked }: Unchecked): ReleaseWarning => ({
  code,
  message: `Could not check the ${what}: ${unchecked}`,
})

/**
 * Returns the warnings about the alarms of a release ("How CloudWatch alarms detect Amazon ECS deployment failures",
 * developer guide, read 2026-11).
 */
export function alarmWarnings(release: EcsRelease, found: Preparation): ReleaseWarning[] {
  const { alarms } = found
  const names = alarmNamesOf(release, found)
  if (!alarms) return []
  if ('unchecked' in alarms) return [notChecked('ALARM_ACTIVE', `alarms ${names.join(', ')}`, alarms)]
  const { inAlarm, missing } = alarms
  const active = {
    code: 'ALARM_ACTIVE' as const,
    message:
      `No alarm guards this release: ${inAlarm.join(', ')} ${inAlarm.length === 1 ? 'is' : 'are'} in the state ALARM, ` +
      `and the cloud ignores all alarms of a release that starts then (${names.join(', ')}).`,
    remedy: 'Wait until no alarm is in ALARM, or watch the release yourself.',
  }
  const subject = missing.length === 1 ? `The alarm ${missing[0]} does` : `The alarms ${missing.join(', ')} do`
  const absent = {
    code: 'ALARM_MISSING' as const,
    message:
      `${subject} not exist in the account and region of the service. The cloud rejects an update of the service that ` +
      'names a missing alarm.',
    remedy: 'Create what is missing, or correct the names in deploy.alarms or on the service.',
  }
  return [...(inAlarm.length > 0 ? [active] : []), ...(missing.length > 0 ? [absent] : [])]
}
