import type { DeploymentMetric } from '@sluice/contract'
import type { CloudClients } from '../../cloud/adapter/access.ts'
import { type MetricPoint, type MetricRange, readMetrics } from '../../cloud/adapter/metrics.ts'
import { present } from '../../platform/present.ts'
import type { DeploymentRow } from '../deployments/store/tables.ts'
import { versionsOf } from './versions.ts'
import { type Sides, type WantedMetric, type WantedSeries, wantedMetrics } from './wanted.ts'

/** Reads all metrics of a release from the cloud: one request for its versions, one for their metrics. */
export async function readVersionMetrics(
  row: Pick<DeploymentRow, 'release' | 'data'>,
  clients: CloudClients,
  range: MetricRange,
): Promise<DeploymentMetric[]> {
  const pair = await versionsOf(row, clients)
  if (!pair) return []
  const wanted = wantedMetrics(pair, row.release.analysis, range)
  const all = wanted.flatMap(({ series }) => Object.values(series))
  const sources = all.flatMap(({ source, of }) => (of ? [source, of] : [source]))
  const read = (await readMetrics(clients.metrics, sources, range)).values()
  const next = () => read.next().value ?? []
  const points = new Map(all.map((series) => [series, series.of ? shareOf(next(), next()) : next()]))
  return wanted.map((metric) => shown(metric, points))
}

function shown({ series, ...metric }: WantedMetric, points: Map<WantedSeries, MetricPoint[]>): DeploymentMetric {
  const of = (side: keyof Sides<never>) =>
    series[side] && (points.get(series[side]) ?? []).map(({ at, value }) => ({ timestamp: at.toISOString(), value }))
  return present({ ...metric, old: of('old'), new: of('new'), both: of('both') })
}

/**
 * Returns the percentage of `such` in `all` for each point of `all`. The cloud has no point in `such` where the count
 * is 0.
 */
export function shareOf(such: readonly MetricPoint[], all: readonly MetricPoint[]): MetricPoint[] {
  const countAt = new Map(such.map(({ at, value }) => [at.getTime(), value]))
  return all.flatMap(({ at, value }) =>
    value > 0 ? [{ at, value: (100 * (countAt.get(at.getTime()) ?? 0)) / value }] : [],
  )
}
