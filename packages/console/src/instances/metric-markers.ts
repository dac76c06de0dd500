import type { Deployment, DeploymentEvent, DeploymentStepCode } from '@sluice/contract'
import { releaseMarksOf, versionOf } from '@sluice/contract/release-version'

/** Event that explains a change in a metric. */
export type Marker = { at: number; label: string; kind: 'began' | 'moved' | 'ended' | 'failed' }

/** Deployment steps that shift traffic or stop a shift. */
const moments: Partial<Record<DeploymentStepCode, Pick<Marker, 'label' | 'kind'>>> = {
  TEST_TRAFFIC_SHIFT: { label: 'test traffic shifts', kind: 'moved' },
  PRODUCTION_TRAFFIC_SHIFT: { label: 'traffic shifts', kind: 'moved' },
  PROMOTE: { label: 'traffic shifts', kind: 'moved' },
  BAKE: { label: 'bakes', kind: 'moved' },
  PAUSED: { label: 'paused', kind: 'moved' },
  CONTINUED: { label: 'continued', kind: 'moved' },
  ROLLBACK_STARTED: { label: 'rolls back', kind: 'failed' },
}

/** Returns the markers of a release: start, shifts, bakes, pauses and end. */
export function releaseMarkers(release: Deployment, events: readonly DeploymentEvent[]): Marker[] {
  const within = events.flatMap(({ stepCode, startedAt }) => {
    const moment = moments[stepCode]
    return moment ? [{ at: Date.parse(startedAt), ...moment }] : []
  })
  return [...beginning(release), ...within, ...ending(release)]
}

/** Returns the starts and ends of releases in a time range, oldest first. */
export function markersInRange(releases: readonly Deployment[], from: number, to: number): Marker[] {
  return releases
    .flatMap((release) => [...beginning(release), ...ending(release)])
    .filter(({ at }) => at >= from && at <= to)
    .sort((a, b) => a.at - b.at)
}

const nameOf = ({ data }: Deployment): string => versionOf(releaseMarksOf(data)) ?? 'release'

function beginning(release: Deployment): Marker[] {
  const { startedAt } = release
  return startedAt === undefined
    ? []
    : [{ at: Date.parse(startedAt), label: `${nameOf(release)} begins`, kind: 'began' }]
}

function ending(release: Deployment): Marker[] {
  const { completedAt, status } = release
  if (completedAt === undefined) return []
  const at = Date.parse(completedAt)
  if (status === 'SUCCESS') return [{ at, label: `${nameOf(release)} live`, kind: 'ended' }]
  return [{ at, label: `${nameOf(release)} ${status === 'ROLLED_BACK' ? 'rolled back' : 'ended'}`, kind: 'failed' }]
}

/** Numbers the markers. Those closer than `apartMs` share a range of numbers at the first one. */
export function numberMarkers(markers: readonly Marker[], apartMs: number): (string | undefined)[] {
  const groups: { from: number; to: number; at: number }[] = []
  for (const [index, { at }] of markers.entries()) {
    const last = groups.at(-1)
    if (last && at - last.at < apartMs) last.to = index
    else groups.push({ from: index, to: index, at })
  }
  const numbers = new Map(
    groups.map(({ from, to }) => [from, from === to ? `${from + 1}` : `${from + 1}–${to + 1}`] as const),
  )
  return markers.map((_, index) => numbers.get(index))
}
