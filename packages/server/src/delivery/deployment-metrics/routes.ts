import { apiErrors, type DeploymentMetric, routes } from '@sluice/contract'
import type { Cloud } from '../../cloud/adapter/access.ts'
import { findCloudConnection } from '../../cloud/cloud-accounts/connection.ts'
import { clocksFor } from '../../cloud/observations/clocks.ts'
import { ObservationCache } from '../../cloud/observations/observation-cache.ts'
import { NotConnected, valueOrError } from '../../cloud/observations/observation-errors.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { missing } from '../../platform/http/references.ts'
import { metricRange } from '../cloud-monitor/range.ts'
import type { DeploymentReader } from '../deployment-archives/read.ts'
import { readVersionMetrics } from './read.ts'

/**
 * Cache and rate settings, per process. The cloud has a new point every minute. An account allows 50 `GetMetricData`
 * per second ("CloudWatch service quotas", read 2026-11), most of which is left for the checks of releases.
 */
const pace = { cacheTtlMs: 30_000, minIntervalMs: 250, maxWaitMs: 4_000 }

/** Time before and after a release for which metrics are returned, to show the effect of the release. */
const aroundMs = 30 * 60_000

type Looked = { metrics: DeploymentMetric[]; start: Date; end: Date; periodSeconds: number }

type Parts = { cloud: Cloud; clock: () => Date; deploymentReader: DeploymentReader }

/** Serves the metrics of both versions of a release from the cloud. */
export function serveDeploymentMetrics(app: App, { cloud, clock, deploymentReader }: Parts): void {
  const looks = new ObservationCache<Looked>({ ...pace, ...clocksFor(app, clock) })

  handle(app, routes.getDeploymentMetrics, async ({ params: { id }, caller: { organizationId }, db }) => {
    const row = await deploymentReader.find(db, organizationId, id)
    if (!row) throw missing('deploymentNotFound', 'deployment', id)
    const range = rangeAround(row, clock())
    const { cloudAccountId, region } = row.release
    const found = await valueOrError(apiErrors.monitorSourceRefused.code, async () => {
      const account = await findCloudConnection(db, organizationId, cloudAccountId)
      if (!account) throw new NotConnected(cloudAccountId)
      const look = async () => ({
        ...range,
        metrics: await readVersionMetrics(row, cloud.clientsFor(account, region), range),
      })
      return looks.get(account.id, JSON.stringify([organizationId, id]), look)
    })
    if ('error' in found) return { data: [], meta: { ...metaOf(range), error: found.error } }
    const { metrics, ...asked } = found.value.value
    return { data: metrics, meta: metaOf(asked) }
  })
}

const metaOf = ({ start, end, periodSeconds }: Omit<Looked, 'metrics'>) => ({
  startTime: start.toISOString(),
  endTime: end.toISOString(),
  periodSeconds,
})

/** Returns the range from before the release until after it, or until now. */
function rangeAround({ startedAt, completedAt }: { startedAt: Date | null; completedAt: Date | null }, now: Date) {
  const start = new Date((startedAt ?? now).getTime() - aroundMs)
  const last = completedAt ? completedAt.getTime() + aroundMs : now.getTime()
  const end = new Date(Math.min(last, now.getTime()))
  const range = metricRange({ startTime: start.toISOString(), endTime: end.toISOString() }, now)
  if ('fault' in range) throw new Error(range.fault) // releases last days at most, which is always a valid range
  return range
}
