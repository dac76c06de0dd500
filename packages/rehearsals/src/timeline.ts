import type { DeploymentEvent, RehearsalEntry } from '@sluice/contract'
import type { RehearsedRelease } from './rehearsed-release.ts'

type Sample = Pick<RehearsalEntry, 'newTrafficPercent' | 'oldTaskCount' | 'newTaskCount' | 'errorPercent'>

/** Maximum number of entries, more than a linear release with 100 steps needs. */
const maxEntries = 2_000

/** Records the steps, traffic and tasks of a release over virtual time. */
export class Timeline {
  readonly entries: RehearsalEntry[] = []
  readonly #release: RehearsedRelease
  /** Whether requests to the new version fail although its health checks pass. */
  hasBrokenRequests = false
  /** Time since which users see errors; undefined while they see none. */
  errorsSince: Date | undefined
  #eventCount = 0
  #last: Sample | undefined
  #lastAt: number
  #errorMs = 0
  /** Number of tasks before the release. */
  #usualTaskCount: number | undefined
  #extraTaskMs = 0
  peakTaskCount = 0
  peakErrorPercent = 0
  firstErrorAt: number | undefined
  /** Time of the last entry. */
  changedAt: Date
  incidentAt: number | undefined
  /** Time at which the old version had all traffic again after a shift. */
  restoredAt: number | undefined

  constructor(release: RehearsedRelease) {
    this.#release = release
    this.#lastAt = release.startedAt.getTime()
    this.changedAt = release.startedAt
  }

  get errorSeconds(): number {
    return Math.round(this.#errorMs / 1_000)
  }

  /** Time that extra tasks ran beside those before the release, as a sum over all of them. */
  get extraTaskSeconds(): number {
    return Math.round(this.#extraTaskMs / 1_000)
  }

  /** Records new steps of the deployment and changes of traffic and tasks. */
  note(): void {
    const sample = this.sample()
    this.#count(sample)
    const events = this.#release.row.data.events ?? []
    for (const event of events.slice(this.#eventCount)) this.#add({ ...this.#stepOf(event), ...sample })
    const hasEvents = events.length > this.#eventCount
    this.#eventCount = events.length
    if (!hasEvents && JSON.stringify(sample) !== JSON.stringify(this.#last))
      this.#add({ type: 'TRAFFIC', ...this.#now(), ...sample })
    this.#last = sample
  }

  incident(message: string): void {
    this.incidentAt ??= this.#release.cloud.now().getTime()
    this.#add({ type: 'INCIDENT', ...this.#now(), message, ...this.sample() })
  }

  sample(): Sample {
    const { old, new: fresh } = this.#release.versions()
    const broken = this.hasBrokenRequests ? fresh.trafficPercent : old.errorPercent + fresh.errorPercent
    return {
      newTrafficPercent: rounded(fresh.trafficPercent),
      oldTaskCount: old.taskCount,
      newTaskCount: fresh.taskCount,
      errorPercent: rounded(broken),
    }
  }

  /** Adds the time since the last sample to the totals. */
  #count(sample: Sample): void {
    const nowMs = this.#release.cloud.now().getTime()
    const last = this.#last
    const passedMs = nowMs - this.#lastAt
    if (last && last.errorPercent > 0) this.#errorMs += passedMs
    this.#usualTaskCount ??= tasksOf(sample)
    if (last) this.#extraTaskMs += Math.max(0, tasksOf(last) - this.#usualTaskCount) * passedMs
    if (sample.errorPercent > 0) this.firstErrorAt ??= nowMs
    this.errorsSince = sample.errorPercent > 0 ? (this.errorsSince ?? new Date(nowMs)) : undefined
    if (last && last.newTrafficPercent > 0 && sample.newTrafficPercent === 0) this.restoredAt = nowMs
    if (sample.newTrafficPercent > 0) this.restoredAt = undefined
    this.peakErrorPercent = Math.max(this.peakErrorPercent, sample.errorPercent)
    this.peakTaskCount = Math.max(this.peakTaskCount, tasksOf(sample))
    this.#lastAt = nowMs
  }

  #stepOf({ stepCode, startedAt, lifecycleStage, message, hookId }: DeploymentEvent) {
    const hook = this.#release.row.progress.hooks.find((one) => one.hookId === hookId)
    const decideBy = stepCode === 'PAUSED' ? hook?.expiresAt : undefined
    return {
      type: 'STEP' as const,
      at: startedAt,
      seconds: this.#secondsTo(Date.parse(startedAt)),
      stepCode,
      ...(lifecycleStage !== undefined && { lifecycleStage }),
      ...(message !== undefined && { message }),
      ...(decideBy !== undefined && { decideBy }),
    }
  }

  #now() {
    const now = this.#release.cloud.now()
    return { at: now.toISOString(), seconds: this.#secondsTo(now.getTime()) }
  }

  #secondsTo = (ms: number): number => Math.max(0, Math.round((ms - this.#release.startedAt.getTime()) / 1_000))

  #add(entry: RehearsalEntry): void {
    this.changedAt = this.#release.cloud.now()
    if (this.entries.length < maxEntries) this.entries.push(entry)
  }
}

const tasksOf = ({ oldTaskCount, newTaskCount }: Sample): number => oldTaskCount + newTaskCount

/** Rounds a share to the precision of the timeline. */
export const rounded = (percent: number): number => Math.round(Math.min(100, percent) * 10) / 10
