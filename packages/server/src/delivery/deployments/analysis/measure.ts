import { OutboundError, type SendOutbound } from '@sluice/outbound/send'
import type { CloudClients } from '../../../cloud/adapter/access.ts'
import { CloudPermanentError, CloudTransientError } from '../../../cloud/adapter/cloud-call.ts'
import { readMetrics } from '../../../cloud/adapter/metrics.ts'
import type { Measurement } from './machine.ts'
import { defaultNoDataAfterSeconds, periodsToRead } from './periods.ts'
import type { AnalysisSpec, Check, HttpCheck, MetricCheck } from './spec.ts'

/** Account and time of a measurement. */
export type MeasurementContext = {
  metrics: CloudClients['metrics']
  /** When the release reached the point at which it is measured. */
  since: Date
  now: Date
}

/** Measures every check once. Never throws: a measurement that cannot be taken is inconclusive. */
export type Measure = (spec: AnalysisSpec, context: MeasurementContext) => Promise<Measurement[]>

type Instruments = MeasurementContext & { sendOutbound: SendOutbound }

/** Returns a function that measures all checks concurrently, and sends HTTP requests with `sendOutbound`. */
export const createMeasure =
  (sendOutbound: SendOutbound): Measure =>
  ({ checks }, context) =>
    Promise.all(checks.map((check) => measureOne(check, { ...context, sendOutbound })))

async function measureOne(check: Check, instruments: Instruments): Promise<Measurement> {
  const measurement = 'http' in check ? await request(check, instruments) : await readMetric(check, instruments)
  return { check: check.name, ...measurement }
}

type Result = Omit<Measurement, 'check'>

async function readMetric(check: MetricCheck, { metrics, since, now }: Instruments): Promise<Result> {
  const { metric, atLeast, atMost } = check
  const { periodSeconds, ...source } = metric
  const { periods, mustHaveData } = periodsToRead(check, since, now)
  if (!periods) return { outcome: 'AWAITED', message: `${source.name} has had no whole period yet` }
  try {
    const [points = []] = await readMetrics(metrics, [source], { ...periods, periodSeconds })
    // The cloud rounds the times of a request, so it may return points outside of the periods.
    const value = points.findLast(({ at }) => at >= periods.start && at < periods.end)?.value
    if (value === undefined) return mustHaveData ? withoutData(check) : { outcome: 'AWAITED', message: late(check) }
    const isGood = value >= (atLeast ?? value) && value <= (atMost ?? value)
    return { outcome: isGood ? 'SUCCESSFUL' : 'FAILED', value, message: `${source.name} is ${value}` }
  } catch (error) {
    if (!(error instanceof CloudTransientError) && !(error instanceof CloudPermanentError)) throw error
    return { outcome: 'INCONCLUSIVE', message: `${source.name} could not be read: ${error.message}` }
  }
}

const late = ({ metric }: MetricCheck) => `${metric.name} has no data yet`

const outcomes = { fail: 'FAILED', continue: 'SUCCESSFUL', wait: 'INCONCLUSIVE' } as const

function withoutData({ metric, noData = 'wait', noDataAfterSeconds = defaultNoDataAfterSeconds }: MetricCheck): Result {
  const message = `${metric.name} has no data, even ${noDataAfterSeconds} s late (no_data: ${noData})`
  return { outcome: outcomes[noData], message, hasNoData: true }
}

/**
 * Error codes of requests that cannot be sent, which say nothing about the release. Any other failed request counts as
 * a failure.
 */
const inconclusiveErrors = ['URL_INVALID', 'HEADER_INVALID', 'NOT_ALLOWED']

async function request({ http }: HttpCheck, { sendOutbound }: Instruments): Promise<Result> {
  const { url, headers } = http
  try {
    const signal = AbortSignal.timeout(measurementTimeoutMs)
    const { status } = await sendOutbound({ method: 'GET', url, headers, signal })
    const isGood = status === http.status
    return { outcome: isGood ? 'SUCCESSFUL' : 'FAILED', value: status, message: `${url} answered ${status}` }
  } catch (error) {
    if (error instanceof OutboundError && inconclusiveErrors.includes(error.trouble)) {
      return { outcome: 'INCONCLUSIVE', message: error.message }
    }
    if (error instanceof OutboundError) return { outcome: 'FAILED', message: error.message }
    if (error instanceof Error && error.name === 'TimeoutError') {
      return { outcome: 'FAILED', message: `${url} did not answer within ${measurementTimeoutMs} ms` }
    }
    throw error
  }
}

/** Timeout of a measurement in milliseconds. Must be shorter than `maxRowAgeMs`, which limits one poll of the cloud. */
const measurementTimeoutMs = 5_000
