import type { MetricPoints, RehearsalEntry } from '@sluice/contract'
import { stageName } from '@sluice/contract/stages'
import type { Series } from '../instances/chart-scales.ts'
import type { Marker } from '../instances/metric-markers.ts'

/** Returns the traffic of the new version and the errors of users over time, as percentages. */
export function trafficSeries(timeline: readonly RehearsalEntry[]): Series[] {
  const points = (value: (entry: RehearsalEntry) => number): MetricPoints =>
    timeline.map((entry) => ({ timestamp: entry.at, value: value(entry) }))
  return [
    {
      name: 'Traffic of the new version',
      points: points(({ newTrafficPercent }) => newTrafficPercent),
      isStepped: true,
    },
    { name: 'Failed requests', points: points(({ errorPercent }) => errorPercent), isStepped: true, isMuted: true },
  ]
}

const markedSteps = ['PAUSED', 'CONTINUED', 'ROLLBACK_STARTED', 'ROLLED_BACK', 'COMPLETED', 'FAILED', 'CANCELLED']

/** Returns the moments of a rehearsal that explain its traffic. */
export function rehearsalMarkers(timeline: readonly RehearsalEntry[]): Marker[] {
  return timeline.flatMap(({ type, at, stepCode, message = '' }): Marker[] => {
    if (type === 'INCIDENT') return [{ at: Date.parse(at), label: message, kind: 'failed' }]
    if (stepCode === undefined || !markedSteps.includes(stepCode)) return []
    const hasFailed = ['ROLLBACK_STARTED', 'ROLLED_BACK', 'FAILED', 'CANCELLED'].includes(stepCode)
    const kind = stepCode === 'COMPLETED' ? 'ended' : hasFailed ? 'failed' : 'moved'
    return [{ at: Date.parse(at), label: stageName(stepCode), kind }]
  })
}
