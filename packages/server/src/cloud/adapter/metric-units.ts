import type { MetricUnit } from '@sluice/contract'
import type { MetricSource } from './metrics.ts'

/**
 * Units of AWS's own metrics, which data points do not include ("CloudWatch metrics" of each service's guide, read
 * 2026-11). Other units follow from the names, such as percentages.
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

/** Returns the unit of a metric, or undefined for custom metrics. */
export function unitOf({ namespace, name, statistic }: Omit<MetricSource, 'dimensions'>): MetricUnit | undefined {
  if (statistic === 'SampleCount') return 'COUNT'
  if (!namespace.startsWith('AWS/')) return undefined
  if (name.endsWith('Utilization')) return 'PERCENT'
  if (name.startsWith('HTTPCode_')) return 'COUNT'
  return units[name]
}
