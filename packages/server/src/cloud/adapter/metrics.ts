import {
  type CloudWatchClient,
  GetMetricDataCommand,
  type MetricDataQuery,
  type MetricDataResult,
} from '@aws-sdk/client-cloudwatch'
import { callCloud } from './cloud-call.ts'

/** A metric and how its samples are combined. */
export type MetricSource = {
  namespace: string
  name: string
  dimensions: Readonly<Record<string, string>>
  /** Statistic such as `Average` or `p99`. */
  statistic: string
  /** Interval between data points; by default it follows from the range. */
  periodSeconds?: number
}

export type MetricRange = { start: Date; end: Date; periodSeconds: number }

export type MetricPoint = { at: Date; value: number }

/** Maximum number of metrics per request ("GetMetricData" in its API reference, read 2026-11). */
const maxBatchSize = 500

/** Reads the data points of each metric, oldest first, in the order of `sources`. */
export async function readMetrics(
  metrics: CloudWatchClient,
  sources: readonly MetricSource[],
  range: MetricRange,
): Promise<MetricPoint[][]> {
  const series: MetricPoint[][] = sources.map(() => [])
  for (let first = 0; first < sources.length; first += maxBatchSize) {
    const queries = sources
      .slice(first, first + maxBatchSize)
      .map((source, index) => queryOf(source, first + index, range))
    for await (const result of resultsOf(metrics, queries, range)) {
      series[indexIn(result.Id)]?.push(...pointsIn(result))
    }
  }
  return series
}

async function* resultsOf(
  metrics: CloudWatchClient,
  MetricDataQueries: MetricDataQuery[],
  { start: StartTime, end: EndTime }: MetricRange,
): AsyncGenerator<MetricDataResult> {
  const request = { MetricDataQueries, StartTime, EndTime, ScanBy: 'TimestampAscending' as const }
  let NextToken: string | undefined
  do {
    const command = new GetMetricDataCommand({ ...request, NextToken })
    const answer = await callCloud(() => metrics.send(command))
    yield* answer.MetricDataResults ?? []
    NextToken = answer.NextToken
  } while (NextToken !== undefined)
}

const queryOf = (
  { namespace, name, dimensions, statistic, periodSeconds }: MetricSource,
  index: number,
  range: MetricRange,
): MetricDataQuery => ({
  Id: `m${index}`,
  MetricStat: {
    Metric: {
      Namespace: namespace,
      MetricName: name,
      Dimensions: Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value })),
    },
    Stat: statistic,
    Period: periodSeconds ?? range.periodSeconds,
  },
})

const indexIn = (id = ''): number => Number(id.slice(1))

const pointsIn = ({ Timestamps = [], Values = [] }: MetricDataResult): MetricPoint[] =>
  Timestamps.flatMap((at, index) => {
    const value = Values[index]
    return value === undefined ? [] : [{ at, value }]
  })
