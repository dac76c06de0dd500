import type {
  DeleteAlarmsInput,
  DescribeAlarmsInput,
  MetricAlarm,
  PutMetricAlarmInput,
  SetAlarmStateInput,
  StateValue,
} from '@aws-sdk/client-cloudwatch'
import { arnIn, type Scope } from '../arns.ts'
import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import { withTags } from '../tag-list.ts'
import { seconds, type Wire } from '../wire/json.ts'
import type { World } from '../world.ts'
import { invalidMetricParameter, metricName, samplesOf } from './metrics.ts'
import { type Alarm, cloudWatch } from './state.ts'
import { isStatistic, pointsOf } from './statistics.ts'

export const arnOf = (scope: Scope, name: string) => arnIn(scope, 'cloudwatch', `alarm:${name}`)

export function putMetricAlarm(world: World, caller: Caller, rule: Wire<PutMetricAlarmInput>) {
  check(rule)
  const { AlarmName: name = '' } = rule
  const now = world.clock.timestamp()
  const there = cloudWatch(world).alarms.get(arnOf(caller.scope, name))
  if (there) cloudWatch(world).alarms.save(Object.assign(there, { rule, configuredAt: now }))
  else {
    const unchecked = { state: 'INSUFFICIENT_DATA' as const, stateReason: 'Unchecked: Initial alarm creation' }
    const key = arnOf(caller.scope, name)
    cloudWatch(world).alarms.save({
      key,
      scope: caller.scope,
      name,
      rule,
      ...unchecked,
      stateChangedAt: now,
      configuredAt: now,
      tags: withTags([], rule.Tags ?? []),
    })
  }
  return {}
}

function check(rule: Wire<PutMetricAlarmInput>): void {
  if (!rule.AlarmName) throw invalidMetricParameter('The parameter AlarmName is required.')
  if (rule.Metrics) throw invalidMetricParameter('The simulated cloud has no alarms on expressions.')
  metricName(rule.Namespace, rule.MetricName, rule.Dimensions)
  if (!isStatistic(rule.ExtendedStatistic ?? rule.Statistic ?? '')) {
    throw invalidMetricParameter('Either Statistic or ExtendedStatistic must be given.')
  }
  if (!((rule.Period ?? 0) > 0 && (rule.EvaluationPeriods ?? 0) > 0)) {
    throw invalidMetricParameter('The parameters Period and EvaluationPeriods must be greater than 0.')
  }
  if (rule.Threshold === undefined) throw invalidMetricParameter('The parameter Threshold is required.')
  if (!(`${rule.ComparisonOperator}` in comparisons)) {
    throw invalidMetricParameter(`The ComparisonOperator ${rule.ComparisonOperator} is not supported.`)
  }
}

export function describeAlarms(world: World, caller: Caller, input: DescribeAlarmsInput) {
  const { AlarmNames, AlarmNamePrefix = '', StateValue } = input
  const found = cloudWatch(world)
    .alarms.having('scope', caller.scope)
    .filter(({ name }) => (AlarmNames?.includes(name) ?? true) && name.startsWith(AlarmNamePrefix))
    .map((alarm) => evaluated(world, alarm))
    .filter(({ state }) => (StateValue ?? state) === state)
  return { MetricAlarms: found.map(describe), CompositeAlarms: [] }
}

export function setAlarmState(world: World, caller: Caller, input: SetAlarmStateInput) {
  const alarm = cloudWatch(world).alarms.get(arnOf(caller.scope, input.AlarmName ?? ''))
  if (!alarm) throw new CloudError('ResourceNotFound', `There is no alarm ${input.AlarmName}.`, 404)
  const { StateValue = 'OK', StateReason = '' } = input
  if (!['OK', 'ALARM', 'INSUFFICIENT_DATA'].includes(StateValue)) {
    throw invalidMetricParameter(`The StateValue ${StateValue} is not valid.`)
  }
  move(world, alarm, StateValue, StateReason)
  return {}
}

/** Sets the existing alarms with these names to ALARM. */
export function raiseAlarms(world: World, scope: Scope, names: readonly string[]): void {
  for (const name of names) {
    const alarm = cloudWatch(world).alarms.get(arnOf(scope, name))
    if (alarm) move(world, alarm, 'ALARM', 'Set to ALARM.')
  }
}

export function deleteAlarms(world: World, caller: Caller, { AlarmNames = [] }: DeleteAlarmsInput) {
  for (const name of AlarmNames) {
    const alarm = cloudWatch(world).alarms.get(arnOf(caller.scope, name))
    if (!alarm) throw new CloudError('ResourceNotFound', `There is no alarm ${name}.`, 404)
    cloudWatch(world).alarms.remove(alarm)
  }
  return {}
}

export const hasAlarm = (world: World, scope: Scope, name: string): boolean =>
  cloudWatch(world).alarms.get(arnOf(scope, name)) !== undefined

/** Returns the names of alarms that are in the state ALARM. */
export const alarmsRinging = (world: World, scope: Scope, names: string[]): string[] =>
  names.filter((name) => {
    const alarm = cloudWatch(world).alarms.get(arnOf(scope, name))
    return alarm !== undefined && evaluated(world, alarm).state === 'ALARM'
  })

/**
 * Returns for how many minutes alarms watch a deployment after its tasks are replaced: until the slowest alarm covers
 * only new tasks. AWS does not document its calculation.
 */
export const bakeMinutesOf = (world: World, scope: Scope, names: string[] = []): number =>
  names.reduce((longest, name) => {
    const { Period = 0, EvaluationPeriods = 0 } = cloudWatch(world).alarms.get(arnOf(scope, name))?.rule ?? {}
    return Math.max(longest, (Period * EvaluationPeriods) / 60)
  }, 0)

const comparisons: Record<string, (value: number, threshold: number) => boolean> = {
  GreaterThanOrEqualToThreshold: (value, threshold) => value >= threshold,
  GreaterThanThreshold: (value, threshold) => value > threshold,
  LessThanThreshold: (value, threshold) => value < threshold,
  LessThanOrEqualToThreshold: (value, threshold) => value <= threshold,
}

/**
 * Evaluates an alarm. Without data it keeps its state; AWS would change it to INSUFFICIENT_DATA within a minute, which
 * would undo manual changes.
 */
function evaluated(world: World, alarm: Alarm): Alarm {
  const { Period = 60, EvaluationPeriods = 1, Threshold = 0, TreatMissingData = 'missing', ...rule } = alarm.rule
  const periodMs = Period * 1000
  // Whole periods including the current one, so that new data counts at once.
  const until = Math.floor(world.clock.timestamp() / periodMs + 1) * periodMs
  const metric = metricName(rule.Namespace, rule.MetricName, rule.Dimensions)
  const samples = samplesOf(world, alarm.scope, metric, until - EvaluationPeriods * periodMs, until)
  const points = pointsOf(samples, rule.ExtendedStatistic ?? rule.Statistic ?? '', periodMs)
  const missing = EvaluationPeriods - points.length
  if (points.length === 0 && !['breaching', 'notBreaching'].includes(TreatMissingData)) return alarm
  const isBreaching = comparisons[rule.ComparisonOperator ?? '']
  const breaching = points.filter(({ value }) => isBreaching?.(value, Threshold)).length
  const counted = breaching + (TreatMissingData === 'breaching' ? missing : 0)
  const state = counted >= (rule.DatapointsToAlarm ?? EvaluationPeriods) ? 'ALARM' : 'OK'
  const shown = points.map(({ value }) => value).join(', ')
  if (state !== alarm.state) {
    move(
      world,
      alarm,
      state,
      `Threshold Crossed: ${counted} of ${EvaluationPeriods} datapoints [${shown}] against ${Threshold}.`,
    )
  }
  return alarm
}

function move(world: World, alarm: Alarm, state: StateValue, stateReason: string): void {
  cloudWatch(world).alarms.save(Object.assign(alarm, { state, stateReason, stateChangedAt: world.clock.timestamp() }))
}

function describe({ key, name, rule, tags: _, ...alarm }: Alarm): Wire<MetricAlarm> {
  const { Tags: _tags, AlarmName: _name, ...shown } = rule
  return {
    ActionsEnabled: true,
    OKActions: [],
    AlarmActions: [],
    InsufficientDataActions: [],
    Dimensions: [],
    TreatMissingData: 'missing',
    ...shown,
    AlarmName: name,
    AlarmArn: key,
    StateValue: alarm.state,
    StateReason: alarm.stateReason,
    StateUpdatedTimestamp: seconds(alarm.stateChangedAt),
    StateTransitionedTimestamp: seconds(alarm.stateChangedAt),
    AlarmConfigurationUpdatedTimestamp: seconds(alarm.configuredAt),
  } as Wire<MetricAlarm>
}
