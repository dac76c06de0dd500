import type { NoData } from '@sluice/contract'

/** What is measured, and what is good. */
export type AnalysisSpec = {
  /** Between two measurements of a check. */
  intervalSeconds: number
  /** How many good measurements of every check let a pause go on. */
  count: number
  /** How many bad ones of a check are borne; one more turns the release back. */
  failureLimit: number
  /** How many measurements of a check may fail to be had; one more leaves the pause to a person. */
  inconclusiveLimit: number
  checks: Check[]
}

export type Check = { name: string } & (MetricCheck | HttpCheck)

/** A metric of the account that is deployed to, between two bounds, both of them good. */
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
  /** How late a point of the metric may be. Absent of releases that were stored before it could be said. */
  noDataAfterSeconds?: number
  /** What it means that there is no data even then; absent: `wait`. */
  noData?: NoData
}

/**
 * With `{version}` in the dimensions of metrics filled in: the version that is released, which nobody knows yet when
 * the block is rendered.
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

/** The dimensions of a metric as they are of a version. */
export const dimensionsOf = ({ dimensions }: MetricCheck['metric'], version: string): Record<string, string> =>
  Object.fromEntries(Object.entries(dimensions).map(([name, value]) => [name, value.replaceAll('{version}', version)]))

/** A request that must be answered with the status. */
export type HttpCheck = { http: { url: string; headers: Record<string, string>; status: number } }
