import { apiErrors, type ModuleInstanceMetric } from '@sluice/contract'
import type { Cloud } from '../../cloud/adapter/access.ts'
import { unitOf } from '../../cloud/adapter/metric-units.ts'
import { type MetricSource, readMetrics } from '../../cloud/adapter/metrics.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { present } from '../../platform/present.ts'
import type { MetricRange } from './range.ts'
import { clientsOf, type MetricView, withApiErrors } from './sources.ts'

type Parts = { db: Db; cloud: Cloud; organizationId: string }

/**
 * Reads metrics over time, in the given order, with one request per account and region. A metric that cannot be read
 * has the reason instead.
 */
export async function readViews(parts: Parts, views: readonly MetricView[], range: MetricRange) {
  const places = Map.groupBy(views, ({ source }) => `${source.cloud_account_id} ${source.region}`)
  const read = await Promise.all([...places.values()].map((inOnePlace) => readInPlace(parts, inOnePlace, range)))
  const byId = new Map(read.flat().map((metric) => [metric.id, metric]))
  return views.flatMap(({ id }) => byId.get(id) ?? [])
}

async function readInPlace(
  { db, cloud, organizationId }: Parts,
  views: readonly MetricView[],
  range: MetricRange,
): Promise<ModuleInstanceMetric[]> {
  const [first] = views
  if (!first) return []
  try {
    const { metrics } = await clientsOf(db, cloud, organizationId, first.source)
    const series = await withApiErrors('metrics', () => readMetrics(metrics, views.map(sourceOf), range))
    return views.map((view, index) => ({
      ...shown(view),
      points: (series[index] ?? []).map(({ at, value }) => ({ timestamp: at.toISOString(), value })),
    }))
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const told = { code: apiErrors[error.key].code, message: error.message }
    return views.map((view) => ({ ...shown(view), points: [], error: told }))
  }
}

const shown = ({ id, name, type, source }: MetricView) => present({ id, name, type, unit: unitOf(source) })

const sourceOf = ({ source: { namespace, name, dimensions, statistic } }: MetricView): MetricSource => ({
  namespace,
  name,
  dimensions: Object.fromEntries(Object.entries(dimensions).map(([dimension, value]) => [dimension, String(value)])),
  statistic,
})
