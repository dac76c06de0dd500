import type { Sample } from './state.ts'

/** A period with samples, and the statistic of their values. */
export interface Point {
  at: number
  value: number
}

/** Whether this is a statistic: one of the five, or a percentile such as `p99` or `p99.9`. */
export const isStatistic = (statistic: string): boolean =>
  statistic in statistics || /^p(\d{1,2}(\.\d+)?|100)$/.test(statistic)

/**
 * The statistic over periods of `periodMs`, which begin at whole multiples of it; oldest first, empty ones left out.
 */
export function pointsOf(samples: Sample[], statistic: string, periodMs: number): Point[] {
  const byPeriod = Map.groupBy(samples, ({ at }) => Math.floor(at / periodMs) * periodMs)
  return [...byPeriod]
    .toSorted(([a], [b]) => a - b)
    .map(([at, within]) => ({ at, value: (statistics[statistic] ?? percentile(statistic))(within) }))
}

const sum = (samples: Sample[]) => samples.reduce((total, { value, count }) => total + value * count, 0)
const count = (samples: Sample[]) => samples.reduce((total, sample) => total + sample.count, 0)

const statistics: Record<string, (samples: Sample[]) => number> = {
  SampleCount: count,
  Sum: sum,
  Average: (samples) => sum(samples) / count(samples),
  Minimum: (samples) => Math.min(...samples.map(({ value }) => value)),
  Maximum: (samples) => Math.max(...samples.map(({ value }) => value)),
}

/** The smallest value that at least this share of the samples does not exceed. */
function percentile(statistic: string): (samples: Sample[]) => number {
  return (samples) => {
    const wanted = (Number(statistic.slice(1)) / 100) * count(samples)
    let seen = 0
    const sorted = samples.toSorted((a, b) => a.value - b.value)
    const found = sorted.find((sample) => {
      seen += sample.count
      return seen >= wanted
    })
    return found?.value ?? 0
  }
}
