import type { DeploymentStatus, RehearsalScenario } from '@sluice/contract'
import type { RequestedScenario } from '@sluice/server/delivery/rehearsals/job'
import type { ScenarioEnd } from './copy.ts'
import type { RehearsedRelease } from './rehearsed-release.ts'
import type { Timeline } from './timeline.ts'

type Rehearsed = {
  requested: RequestedScenario
  release: RehearsedRelease
  timeline: Timeline
  endedAt: Date
  /** Time during which users saw errors until then, in seconds. */
  errorSecondsAtEnd: number
  /** Whether all faults occurred that are due at a share of the traffic. */
  hasEveryFault: boolean
}

/** Summarizes a rehearsed scenario. */
export function verdictOn(rehearsed: Rehearsed): RehearsalScenario {
  const { requested, release, timeline, endedAt, errorSecondsAtEnd, hasEveryFault } = rehearsed
  const { row, startedAt } = release
  const durationSeconds = Math.round((endedAt.getTime() - startedAt.getTime()) / 1_000)
  const { peakErrorPercent, peakTaskCount, extraTaskSeconds, restoredAt, entries } = timeline
  const faultAt = timeline.incidentAt ?? timeline.firstErrorAt
  const restoreSeconds =
    faultAt === undefined || restoredAt === undefined
      ? undefined
      : Math.max(0, Math.round((restoredAt - faultAt) / 1_000))
  const isStillBroken = (timeline.entries.at(-1)?.errorPercent ?? 0) > 0
  const errorSeconds = isStillBroken ? errorSecondsAtEnd : timeline.errorSeconds
  const facts = {
    scenario: typeof requested === 'string' ? requested : undefined,
    outcome: row.status,
    durationSeconds,
    errorSeconds,
    peakErrorPercent,
    isStillBroken,
    restoreSeconds,
    pauseCount: pausesIn(timeline),
    hasEveryFault,
  }
  const suggestion = suggestionFor(facts, release)
  return {
    ...(typeof requested === 'string' ? { name: requested } : requested),
    status: 'SUCCESS',
    outcome: row.status,
    verdict: describeScenarioEnd(facts),
    durationSeconds,
    errorSeconds,
    peakTaskCount,
    extraTaskSeconds,
    timeline: entries,
    ...(restoreSeconds !== undefined && { restoreSeconds }),
    ...(suggestion !== undefined && { suggestion }),
    ...(row.error !== null && { error: row.error }),
  }
}

type Facts = ScenarioEnd & {
  durationSeconds: number
  peakErrorPercent: number
  restoreSeconds: number | undefined
  hasEveryFault: boolean
}

const endings: Record<DeploymentStatus, string> = {
  PENDING: 'The release does not start',
  IN_PROGRESS: 'The release does not end',
  ROLLING_BACK: 'The rollback does not end',
  SUCCESS: 'The release succeeds',
  ERROR: 'The release fails',
  ROLLED_BACK: 'The release is rolled back',
  CANCELLED: 'The release is cancelled',
}

/** Returns how the release ends, in one sentence. */
export function describeScenarioEnd(facts: Facts): string {
  const { outcome, durationSeconds, restoreSeconds, pauseCount, hasEveryFault } = facts
  const restored =
    restoreSeconds === undefined
      ? ''
      : `, and the old version has all traffic again ${formatDurationSeconds(restoreSeconds)} after the fault`
  const pauses = pauseCount === 0 ? '' : ` with ${pauseCount} ${pauseCount === 1 ? 'pause' : 'pauses'}`
  const unused = hasEveryFault ? '' : '; it ends before every fault has occurred'
  return `${endings[outcome]} after ${formatDurationSeconds(durationSeconds)}${pauses}; ${errorsOf(facts)}${restored}${unused}.`
}

function errorsOf({ errorSeconds, peakErrorPercent, isStillBroken }: Facts): string {
  if (isStillBroken) return 'users see errors until someone rolls it back'
  if (errorSeconds === 0) return 'users see no errors'
  const share = peakErrorPercent < 100 ? ` in at most ${Math.ceil(peakErrorPercent)} % of their requests` : ''
  return `users see errors for ${formatDurationSeconds(errorSeconds)}${share}`
}

/** Formats a duration in its two largest units. */
export function formatDurationSeconds(seconds: number): string {
  const units = [
    ['d', 86_400],
    ['h', 3_600],
    ['min', 60],
    ['s', 1],
  ] as const
  const parts = units.reduce<{ left: number; words: string[] }>(
    ({ left, words }, [unit, size]) => {
      const count = Math.floor(left / size)
      return { left: left - count * size, words: count > 0 ? [...words, `${count} ${unit}`] : words }
    },
    { left: seconds, words: [] },
  )
  return parts.words.slice(0, 2).join(' ') || '0 s'
}

const pausesIn = ({ entries }: Timeline): number => entries.filter(({ stepCode }) => stepCode === 'PAUSED').length

/** Returns a change of the module that would make the release safer; undefined if none would help. */
function suggestionFor(facts: Facts, { copy, job }: RehearsedRelease): string | undefined {
  if (job.isRollback) return undefined // a rollback has no pauses, bakes and analysis whatever the module says
  const { scenario, outcome, pauseCount } = facts
  if (scenario === 'PAUSE_TIMES_OUT' && pauseCount > 0 && outcome === 'SUCCESS') {
    return 'The pause continues automatically when it times out: set its timeout_action to ROLLBACK if a user must decide.'
  }
  return copy.suggestion(facts)
}
