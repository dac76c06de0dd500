import type { CloudClients } from '../../../cloud/adapter/access.ts'
import { CloudRefusal, CloudTrouble } from '../../../cloud/adapter/answer.ts'
import { readMetrics } from '../../../cloud/adapter/metrics.ts'
import { OutboundError, type SendOutbound } from '../../../platform/outbound/send.ts'
import type { Measurement } from './machine.ts'
import type { AnalysisSpec, Check, HttpCheck, MetricCheck } from './spec.ts'

/** What measuring needs of the world. */
export type Instruments = { metrics: CloudClients['metrics']; sendOutbound: SendOutbound; now: Date }

/** Measures every check once, all at the same time. Never throws: what cannot be had is inconclusive. */
export const measure = ({ checks }: AnalysisSpec, instruments: Instruments): Promise<Measurement[]> =>
  Promise.all(checks.map((check) => measureOne(check, instruments)))

async function measureOne(check: Check, instruments: Instruments): Promise<Measurement> {
  const measurement = 'http' in check ? await request(check, instruments) : await readMetric(check, instruments)
  return { check: check.name, ...measurement }
}

type Result = Omit<Measurement, 'check'>

async function readMetric({ metric, atLeast, atMost }: MetricCheck, { metrics, now }: Instruments): Promise<Result> {
  const { periodSeconds, ...source } = metric
  // The period that runs and the two before it: what a metric says of the present comes late.
  const start = new Date(now.getTime() - 3 * periodSeconds * 1000)
  try {
    const [points = []] = await readMetrics(metrics, [source], { start, end: now, periodSeconds })
    const value = points.at(-1)?.value
    if (value === undefined) return { outcome: 'INCONCLUSIVE', message: `${source.name} has no data yet` }
    const isGood = value >= (atLeast ?? value) && value <= (atMost ?? value)
    return { outcome: isGood ? 'SUCCESSFUL' : 'FAILED', value, message: `${source.name} is ${value}` }
  } catch (error) {
    if (!(error instanceof CloudTrouble) && !(error instanceof CloudRefusal)) throw error
    return { outcome: 'INCONCLUSIVE', message: `${source.name} could not be read: ${error.message}` }
  }
}

/** A request that may not or cannot be sent says nothing about the release; one that fails does. */
const saysNothing = ['URL_INVALID', 'HEADER_INVALID', 'NOT_ALLOWED']

async function request({ http }: HttpCheck, { sendOutbound }: Instruments): Promise<Result> {
  const { url, headers } = http
  try {
    const signal = AbortSignal.timeout(patienceMs)
    const { status } = await sendOutbound({ method: 'GET', url, headers, signal })
    const isGood = status === http.status
    return { outcome: isGood ? 'SUCCESSFUL' : 'FAILED', value: status, message: `${url} answered ${status}` }
  } catch (error) {
    if (error instanceof OutboundError && saysNothing.includes(error.trouble)) {
      return { outcome: 'INCONCLUSIVE', message: error.message }
    }
    if (error instanceof OutboundError) return { outcome: 'FAILED', message: error.message }
    if (error instanceof Error && error.name === 'TimeoutError') {
      return { outcome: 'FAILED', message: `${url} did not answer within ${patienceMs} ms` }
    }
    throw error
  }
}

/** Within the time that a look at the cloud may take (`freshMs` of the handlers). Milliseconds. */
const patienceMs = 5_000
