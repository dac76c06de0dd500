import type { MetricAlarm } from '@aws-sdk/client-cloudwatch'
import type { World } from '../world.ts'
import { arnOf } from './alarms.ts'
import { cloudWatch } from './state.ts'

/**
 * Placeholder metric for an alarm on an expression or on other alarms. The alarm keeps its state until someone sets it.
 */
const standIn = {
  Namespace: 'Imported',
  MetricName: 'Alarm',
  Statistic: 'Average',
  Period: 60,
  EvaluationPeriods: 1,
  Threshold: 0,
  ComparisonOperator: 'GreaterThanThreshold',
} as const

/** Creates an alarm in its current state, which it keeps because no metrics are imported. */
export function importAlarm(world: World, scope: string, alarm: MetricAlarm): void {
  const { AlarmName: name = '', StateValue: state = 'INSUFFICIENT_DATA', StateReason: stateReason = '' } = alarm
  const { Namespace, MetricName, Dimensions = [], Statistic, ExtendedStatistic } = alarm
  const { Period, EvaluationPeriods, Threshold, ComparisonOperator } = alarm
  const isOnMetric = Namespace !== undefined && MetricName !== undefined && Threshold !== undefined
  const own = { Namespace, MetricName, Dimensions, Period, EvaluationPeriods, Threshold, ComparisonOperator }
  const statistic = ExtendedStatistic === undefined ? { Statistic } : { ExtendedStatistic }
  const rule = { ...standIn, ...(isOnMetric && { ...own, ...statistic }), AlarmName: name, TreatMissingData: 'missing' }
  const now = world.clock.timestamp()
  const moments = { stateChangedAt: now, configuredAt: now }
  cloudWatch(world).alarms.save({
    key: arnOf(scope, name),
    scope,
    name,
    rule,
    state,
    stateReason,
    ...moments,
    tags: [],
  })
}
