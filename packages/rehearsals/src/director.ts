import type { RehearsedRelease } from './rehearsed-release.ts'
import type { Fault, Incident } from './scenarios.ts'
import type { Timeline } from './timeline.ts'

/** Assumed time until a user continues a pause, in milliseconds. */
const decisionMs = 10 * 60_000

/** Injects the faults of a scenario and simulates the decisions of users. */
export class Director {
  readonly #release: RehearsedRelease
  readonly #timeline: Timeline
  readonly #incidents: PendingIncident[]
  readonly #leavesPauses: boolean
  /** Pause that a user will continue, and the time of the decision. */
  #decision: { hookId: string; at: Date } | undefined

  constructor(release: RehearsedRelease, faults: readonly Fault[], timeline: Timeline) {
    this.#release = release
    this.#timeline = timeline
    this.#incidents = faults.flatMap(({ incident }) => incident ?? []).map((one) => new PendingIncident(one))
    this.#leavesPauses = faults.some(({ leavesPauses }) => leavesPauses)
  }

  /** Time of the next fault or decision; undefined if none is planned. */
  get nextAt(): Date | undefined {
    const moments = [...this.#incidents.map(({ nextAt }) => nextAt), this.#decision?.at]
    return moments.filter((moment) => moment !== undefined).sort((a, b) => a.getTime() - b.getTime())[0]
  }

  /** Whether all faults occurred that are due at a share of the traffic. */
  get hasEveryFault(): boolean {
    return this.#incidents.every(({ hasHappened }) => hasHappened)
  }

  async direct(): Promise<void> {
    for (const incident of this.#incidents) await incident.work(this.#release, this.#timeline)
    if (!this.#leavesPauses) this.#continuePauses()
  }

  #continuePauses(): void {
    const { row, cloud, isOver } = this.#release
    const hook = isOver ? undefined : row.progress.hooks.find(({ state }) => state === 'waiting')
    if (!hook) {
      this.#decision = undefined
      return
    }
    const now = cloud.now()
    if (this.#decision?.hookId !== hook.hookId) {
      const leftMs = hook.expiresAt === undefined ? decisionMs * 2 : Date.parse(hook.expiresAt) - now.getTime()
      this.#decision = { hookId: hook.hookId, at: new Date(now.getTime() + Math.min(decisionMs, leftMs / 2)) }
    }
    if (this.#decision.at > now) return
    this.#decision = undefined
    this.#release.continueAfterPause()
  }
}

/** Fault that occurs once, and its later consequence. */
class PendingIncident {
  readonly #incident: Incident
  #dueAt: Date | undefined
  #sequelAt: Date | undefined
  hasHappened = false

  constructor(incident: Incident) {
    this.#incident = incident
  }

  /** Time of the fault or its consequence; undefined before the share of the traffic is reached, and at the end. */
  get nextAt(): Date | undefined {
    return this.hasHappened ? this.#sequelAt : this.#dueAt
  }

  async work(release: RehearsedRelease, timeline: Timeline): Promise<void> {
    if (this.hasHappened) await this.#causeSequel(release, timeline)
    else await this.#happen(release, timeline)
  }

  async #happen(release: RehearsedRelease, timeline: Timeline): Promise<void> {
    const { isDue, delayMs = 0, happen, breaksRequests, message, sequel } = this.#incident
    const now = release.cloud.now()
    if (release.isOver && delayMs > 0) {
      this.#dueAt = undefined // the release ended before it was due
      return
    }
    if (!this.#dueAt && !isDue(timeline.sample().newTrafficPercent)) return
    this.#dueAt ??= new Date(now.getTime() + delayMs)
    if (now < this.#dueAt) return
    this.hasHappened = true
    await happen?.(release)
    timeline.hasBrokenRequests ||= breaksRequests ?? false
    timeline.incident(message)
    timeline.note()
    if (sequel) this.#sequelAt = new Date(now.getTime() + sequel.afterMs)
  }

  async #causeSequel(release: RehearsedRelease, timeline: Timeline): Promise<void> {
    const { sequel } = this.#incident
    if (!sequel || !this.#sequelAt || release.cloud.now() < this.#sequelAt) return
    this.#sequelAt = undefined
    if (timeline.sample().errorPercent === 0) return
    timeline.incident(sequel.message)
    await sequel.happen(release)
  }
}
