import type { PutMetricAlarmInput, StandardUnit, StateValue } from '@aws-sdk/client-cloudwatch'
import type { Scope } from '../arns.ts'
import type { Row } from '../store.ts'
import type { ListTag } from '../tag-list.ts'
import type { Wire } from '../wire/json.ts'
import { defineState } from '../world.ts'

/** CloudWatch alarm. Key: its ARN. Times are timestamps. */
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

/** Identity of a metric within an account and region. */
export interface MetricName {
  namespace: string
  name: string
  dimensions: { name: string; value: string }[]
}

/** Value measured `count` times. `at` is a timestamp (epoch milliseconds). */
export interface Sample {
  at: number
  value: number
  count: number
  unit: StandardUnit
}

/** Stored samples of a metric within an hour, which keeps rows small. Key: the metric and the hour. */
export interface MetricHour extends Row {
  metric: string
  samples: Sample[]
}

/** CloudWatch metric. Key: scope and metric. */
export interface Metric extends Row, MetricName {
  scope: Scope
}

/** Tables of the simulated CloudWatch. */
export const cloudWatch = defineState((world) => ({
  metrics: world.table<Metric>('metric', { scope: (row) => row.scope }),
  metricHours: world.table<MetricHour>('metric-hour', { metric: (row) => row.metric }),
  alarms: world.table<Alarm>('alarm', { scope: (row) => row.scope }),
}))
