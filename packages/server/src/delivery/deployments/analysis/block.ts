import type { AnalysisBlock } from '@sluice/contract'
import { present } from '../../../platform/present.ts'
import { defaultNoDataAfterSeconds } from './periods.ts'
import type { AnalysisSpec, Check } from './spec.ts'

/** Converts the `analysis` section of a deploy block to the specification of its checks. */
export const analysisOf = (block: AnalysisBlock): AnalysisSpec => ({
  intervalSeconds: block.interval,
  count: block.count,
  failureLimit: block.failure_limit,
  inconclusiveLimit: block.inconclusive_limit,
  checks: block.checks.map(checkOf),
})

function checkOf(check: AnalysisBlock['checks'][number]): Check {
  const { name, metric, http, at_least: atLeast, at_most: atMost } = check
  if (http?.url) return { name, http: { url: http.url, headers: http.headers, status: http.status } }
  if (!metric) throw new Error(`the check ${name} measures nothing`)
  const { period, ...source } = metric
  return present({
    name,
    metric: { ...source, periodSeconds: period },
    atLeast,
    atMost,
    noData: check.no_data ?? 'wait',
    noDataAfterSeconds: check.no_data_after ?? defaultNoDataAfterSeconds,
  })
}
