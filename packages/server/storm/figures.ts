import type { BlowKind } from './blows.ts'
import type { StormResult } from './storm.ts'

/** Formats the results of a storm. */
export function figuresOf(weathered: StormResult): string {
  const { deployments, runs, probes, lostRunners, snapshots, blows, waits, undisturbed, recoveries, violations } =
    weathered
  const struck = (kind: BlowKind) => blows.filter((blow) => blow.kind === kind).length
  const kinds: [BlowKind, string][] = [
    ['kill', 'kills'],
    ['freeze', 'stops'],
    ['cut', 'cuts'],
    ['delay', 'delays'],
    ['failover', 'failovers'],
    ['loss', 'lost disks'],
  ]
  return [
    `${deployments} deployments, ${runs} runs, ${probes} probes`,
    kinds.map(([kind, word]) => `${struck(kind)} ${word}`).join(', '),
    `waited for ${waits.length} answers: ${spread(waits.map(({ ms }) => ms))}`,
    `a probe before the first blow took ${spread(undisturbed)}`,
    `recovery of ${recoveries.length} blows: ${spread(recoveries)}`,
    `${snapshots} snapshots of the engine`,
    `programs whose runner was given up: ${lostRunners}`,
    `violations ${violations.length}`,
  ].join('; ')
}

/** Returns the longest waits of users by operation. */
export function waitTimesByOperation({ waits }: StormResult): string {
  const byOperation = Object.groupBy(waits, ({ method, path }) => `${method} ${path}`)
  return Object.entries(byOperation)
    .map(([operation, ofIt = []]) => `${operation}: ${ofIt.length}, ${spread(ofIt.map(({ ms }) => ms))}`)
    .join('\n')
}

function spread(ms: number[]): string {
  const sorted = ms.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return `p50 ${inSeconds(at(0.5))}, p99 ${inSeconds(at(0.99))}, max ${inSeconds(at(1))}`
}

const inSeconds = (ms: number) => (ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`)
