import type { Sample } from './state.ts'

/** Statistic of the samples in a period. */
export interface Point {
  at: number
  value: number
}

/** Reports whether a text is a statistic: one of the five, or a percentile such as `p99` or `p99.9`. */
export const isStatistic = (statistic: string): boolean =>
  statistic in statistics || /^p(\d{1,2}(\.\d+)?|100)$/.test(statistic)

/** Returns the statistic for periods aligned to multiples of `periodMs`, oldest first, omitting empty ones. */
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

/** Returns a function for the smallest value that at least this share of the samples does not exceed. */
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
