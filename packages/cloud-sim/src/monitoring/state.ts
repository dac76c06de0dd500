import type { PutMetricAlarmInput, StandardUnit, StateValue } from '@aws-sdk/client-cloudwatch'
import type { Scope } from '../arns.ts'
import type { Row } from '../store.ts'
import type { ListTag } from '../tag-list.ts'
import type { Wire } from '../wire/json.ts'
import { state } from '../world.ts'

/** Key: the alarm ARN. Moments are timestamps. */
export interface Alarm extends Row {
  scope: Scope
  name: string
  rule: Wire<PutMetricAlarmInput>
  state: StateValue
  stateReason: string
  stateChangedAt: number
  configuredAt: number
  tags: ListTag[]
}

/** What a metric is told by, besides account and region. */
export interface MetricName {
  namespace: string
  name: string
  dimensions: { name: string; value: string }[]
}

/** A value that was measured `count` times. `at` is a timestamp (epoch milliseconds). */
export interface Sample {
  at: number
  value: number
  count: number
  unit: StandardUnit
}

/** Key: the metric and the hour. What was put of a metric within an hour: small rows, however long a metric is. */
export interface MetricHour extends Row {
  metric: string
  samples: Sample[]
}

/** Key: scope and metric. */
export interface Metric extends Row, MetricName {
  scope: Scope
}

/** What the monitoring service keeps. */
export const cloudWatch = state((world) => ({
  metrics: world.table<Metric>('metric', { scope: (row) => row.scope }),
  metricHours: world.table<MetricHour>('metric-hour', { metric: (row) => row.metric }),
  alarms: world.table<Alarm>('alarm', { scope: (row) => row.scope }),
}))
