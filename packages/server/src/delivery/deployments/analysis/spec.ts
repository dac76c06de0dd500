import type { NoData } from '@sluice/contract'

/** Checks of an analysis, with the results that each of them requires. */
export type AnalysisSpec = {
  /** Interval between two measurements of a check. */
  intervalSeconds: number
  /** Number of successful measurements of every check after which a pause continues. */
  count: number
  /** Number of failed measurements of a check that are tolerated; one more rolls back the release. */
  failureLimit: number
  /** Number of inconclusive measurements of a check that are tolerated; one more leaves the pause to a user. */
  inconclusiveLimit: number
  checks: Check[]
}

export type Check = { name: string } & (MetricCheck | HttpCheck)

/** Check of a metric in the account of the deployment, which must stay between two bounds, both inclusive. */
export type MetricCheck = {
  metric: {
    namespace: string
    name: string
    statistic: string
    dimensions: Record<string, string>
    periodSeconds: number
  }
  atLeast?: number
  atMost?: number
  /** Maximum delay of a point of the metric. Absent from releases that were stored before this setting existed. */
  noDataAfterSeconds?: number
  /** Outcome if there is no data after that delay; `wait` if absent. */
  noData?: NoData
}

/**
 * Replaces `{version}` in the dimensions of metrics with the released version, which is unknown when the block is
 * rendered.
 */
export const forVersion = (spec: AnalysisSpec, version: string): AnalysisSpec => ({
  ...spec,
  checks: spec.checks.map((check) =>
    'metric' in check ? { ...check, metric: metricOf(check.metric, version) } : check,
  ),
})

const metricOf = (metric: MetricCheck['metric'], version: string): MetricCheck['metric'] => ({
  ...metric,
  dimensions: dimensionsOf(metric, version),
})

/** Returns the dimensions of a metric, with `{version}` replaced by the version. */
export const dimensionsOf = ({ dimensions }: MetricCheck['metric'], version: string): Record<string, string> =>
  Object.fromEntries(Object.entries(dimensions).map(([name, value]) => [name, value.replaceAll('{version}', version)]))

/** Check of an HTTP request, which must be answered with the status. */
export type HttpCheck = { http: { url: string; headers: Record<string, string>; status: number } }
