import type { MetricUnit } from '@sluice/contract'

const number = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 })
const short = new Intl.NumberFormat('en', { maximumSignificantDigits: 3, notation: 'compact' })

const steps = [
  [1e9, 'GB'],
  [1e6, 'MB'],
  [1e3, 'kB'],
] as const

/** Formats a metric value with its unit, such as `45.1 ms`. */
export function formatMetric(value: number, unit: MetricUnit | undefined): string {
  switch (unit) {
    case 'PERCENT':
      return `${number.format(value)} %`
    case 'SECONDS':
      return time(1_000 * value)
    case 'MILLISECONDS':
      return time(value)
    case 'BYTES': {
      const [step, name] = steps.find(([step]) => value >= step) ?? [1, 'B']
      return `${number.format(value / step)} ${name}`
    }
    default:
      return short.format(value)
  }
}

const time = (ms: number): string => (ms >= 1_000 ? `${number.format(ms / 1_000)} s` : `${number.format(ms)} ms`)
