import type { MetricUnit } from '@sluice/contract'
import type { MetricSource } from './metrics.ts'

/**
 * What the cloud's own metrics are in, which their points do not say ("CloudWatch metrics" of each service's guide,
 * read 2026-11). Percentages and times are, whatever the service, those whose names say so.
 */
const units: Readonly<Record<string, MetricUnit>> = {
  TargetResponseTime: 'SECONDS',
  Duration: 'MILLISECONDS',
  PostRuntimeExtensionsDuration: 'MILLISECONDS',
  IteratorAge: 'MILLISECONDS',
  Invocations: 'COUNT',
  Errors: 'COUNT',
  Throttles: 'COUNT',
  ConcurrentExecutions: 'COUNT',
  RequestCount: 'COUNT',
  RequestCountPerTarget: 'COUNT',
  HealthyHostCount: 'COUNT',
  UnHealthyHostCount: 'COUNT',
  Requests: 'COUNT',
  BytesDownloaded: 'BYTES',
  BytesUploaded: 'BYTES',
  ProcessedBytes: 'BYTES',
  '4xxErrorRate': 'PERCENT',
  '5xxErrorRate': 'PERCENT',
}

/** What the values of a metric are in; undefined of one of the account's own, whose name promises nothing. */
export function unitOf({ namespace, name, statistic }: Omit<MetricSource, 'dimensions'>): MetricUnit | undefined {
  if (statistic === 'SampleCount') return 'COUNT'
  if (!namespace.startsWith('AWS/')) return undefined
  if (name.endsWith('Utilization')) return 'PERCENT'
  if (name.startsWith('HTTPCode_')) return 'COUNT'
  return units[name]
}
