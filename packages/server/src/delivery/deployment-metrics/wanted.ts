import type { DeploymentMetric, MetricUnit } from '@sluice/contract'
import { unitOf } from '../../cloud/adapter/metric-units.ts'
import type { MetricSource } from '../../cloud/adapter/metrics.ts'
import { present } from '../../platform/present.ts'
import { type AnalysisSpec, dimensionsOf, type MetricCheck } from '../deployments/analysis/spec.ts'
import type { VersionPair } from './versions.ts'

/** Series of a metric. If `of` is set, values are percentages of that metric. */
export type WantedSeries = { source: MetricSource; of?: MetricSource }

/** One value per version if metrics distinguish the versions, otherwise a value for `both`. */
export type Sides<T> = { old?: T; new?: T; both?: T }

export type WantedMetric = Omit<DeploymentMetric, keyof Sides<never>> & { series: Sides<WantedSeries> }

/** Returns the metrics that compare two versions: requests, errors, latency, and those of the release's checks. */
export function wantedMetrics(
  pair: VersionPair,
  spec: AnalysisSpec | undefined,
  range: { periodSeconds: number },
): WantedMetric[] {
  const checks = (spec?.checks ?? []).filter((check) => 'metric' in check)
  return [...usualMetrics(pair), ...checks.map((check) => metricOfCheck(check, pair, range.periodSeconds))]
}

/** Metrics that the cloud provides for load balancers and functions. */
const cloudMetrics = {
  'load balancer': {
    namespace: 'AWS/ApplicationELB',
    requests: { title: 'Requests', name: 'RequestCount' },
    errors: 'HTTPCode_Target_5XX_Count',
    latency: { title: 'Response time (p95)', name: 'TargetResponseTime' },
  },
  function: {
    namespace: 'AWS/Lambda',
    requests: { title: 'Calls', name: 'Invocations' },
    errors: 'Errors',
    latency: { title: 'Duration (p95)', name: 'Duration' },
  },
} as const

function usualMetrics(pair: VersionPair): WantedMetric[] {
  const { namespace, requests, errors, latency } = cloudMetrics[pair.measuredBy]
  const ofEach = (name: string, statistic: string, of?: string): Sides<WantedSeries> =>
    eachSide(pair, (version) => {
      const source = { namespace, name, statistic, dimensions: { ...pair.shared, [pair.apart]: version } }
      return present({ source, of: of === undefined ? undefined : { ...source, name: of } })
    })
  const metric = (id: string, name: string, unit: MetricUnit | undefined, series: Sides<WantedSeries>) =>
    present({ id, name, unit, series })
  const latencyUnit = unitOf({ namespace, name: latency.name, statistic: 'p95' })
  return [
    metric('requests', requests.title, 'COUNT', ofEach(requests.name, 'Sum')),
    metric('errors', 'Error rate', 'PERCENT', ofEach(errors, 'Sum', requests.name)),
    metric('latency', latency.title, latencyUnit, ofEach(latency.name, 'p95')),
  ]
}

const eachSide = <T>(pair: VersionPair, seriesOf: (version: string) => T): Sides<T> =>
  present({ old: pair.old === undefined ? undefined : seriesOf(pair.old), new: seriesOf(pair.new) })

/** Statistics that grow with the period, so that a threshold applies only to its own period. */
const cumulativeStatistics = ['Sum', 'SampleCount']

/** Returns the metric of a check. A long range uses a longer period, to limit the number of points. */
function metricOfCheck(check: MetricCheck & { name: string }, pair: VersionPair, leastSeconds: number): WantedMetric {
  const { namespace, name, statistic, periodSeconds: own } = check.metric
  const periodSeconds = Math.max(own, leastSeconds)
  const isBound = own === periodSeconds || !cumulativeStatistics.includes(statistic)
  return present({
    id: `check-${check.name}`,
    name: check.name,
    unit: unitOf({ namespace, name, statistic }),
    minimum: isBound ? check.atLeast : undefined,
    maximum: isBound ? check.atMost : undefined,
    series: seriesOfCheck(check.metric, periodSeconds, pair),
  })
}

/** Returns one series per version if the check names one of them or contains a placeholder; otherwise a common one. */
function seriesOfCheck(metric: MetricCheck['metric'], periodSeconds: number, pair: VersionPair): Sides<WantedSeries> {
  const { namespace, name, statistic, dimensions } = metric
  const of = (dimensions: MetricSource['dimensions']): WantedSeries => ({
    source: { namespace, name, statistic, dimensions, periodSeconds },
  })
  const hasPlace = Object.values(dimensions).some((value) => value.includes('{version}'))
  if (hasPlace && pair.measuredBy === 'function') return eachSide(pair, (version) => of(dimensionsOf(metric, version)))
  const named = dimensions[pair.apart]
  if (named === undefined || (named !== pair.old && named !== pair.new)) return { both: of(dimensions) }
  return eachSide(pair, (version) => of({ ...dimensions, [pair.apart]: version }))
}
