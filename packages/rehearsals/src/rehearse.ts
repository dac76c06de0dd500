import type { RehearsalScenario, RehearsalScenarioName } from '@sluice/contract'
import type { RehearsalJob } from '@sluice/server/delivery/rehearsals/job'
import { measureErrors, measureNothing } from './measurements.ts'
import { RehearsedRelease } from './rehearsed-release.ts'
import type { Scenario } from './scenarios.ts'
import { Timeline } from './timeline.ts'
import { verdictOn } from './verdict.ts'

/** Maximum duration of a rehearsed release, in milliseconds: each pause can last 14 days. */
const maxMs = 120 * 86_400_000
/** Time after the end of the release in which the cloud can still shift traffic and stop tasks, in milliseconds. */
const aftermathMs = 30 * 60_000
/** Assumed time until a user continues a pause, in milliseconds. */
const decisionMs = 10 * 60_000

/** Rehearses one scenario in a new copy of the service. */
export async function rehearseScenario(job: RehearsalJob, name: RehearsalScenarioName): Promise<RehearsalScenario> {
  const release = await RehearsedRelease.open(job)
  const scenario = release.copy.scenarios[name]
  if (!scenario) throw new Error(`${name} does not apply to a release of type ${job.type}.`)
  const timeline = new Timeline(release)
  release.measure = scenario.leavesPauses ? measureNothing : measureErrors(() => timeline.errorsSince)
  await scenario.prepare?.(release)
  const director = new Director(release, scenario, timeline)
  const latest = new Date(release.startedAt.getTime() + maxMs)
  timeline.note()
  while (!release.isOver && release.cloud.now() < latest) {
    await release.work()
    timeline.note()
    await director.direct()
    if (!release.isOver) release.passTo(director.nextAt ?? latest, timeline.changedAt)
    timeline.note()
  }
  const end = { endedAt: release.cloud.now(), errorSecondsAtEnd: timeline.errorSeconds }
  await watchAftermath(release, timeline, director)
  release.cloud.close()
  return verdictOn({ name, release, timeline, ...end })
}

/** Runs the cloud until changes that outlast the release, such as stopping tasks, have ended. */
async function watchAftermath(release: RehearsedRelease, timeline: Timeline, director: Director): Promise<void> {
  const until = new Date(release.cloud.now().getTime() + aftermathMs)
  while (release.cloud.now() < until) {
    await director.direct()
    const { oldTaskCount, newTaskCount, errorPercent } = timeline.sample()
    const mayRecover = errorPercent > 0 && release.cloud.nextDueAt() !== undefined
    const isAtRest = (oldTaskCount === 0 || newTaskCount === 0) && !mayRecover
    if (isAtRest && director.nextAt === undefined) break
    const moments = [release.cloud.nextDueAt(), director.nextAt, until]
    release.cloud.advanceTo(new Date(Math.min(...moments.flatMap((moment) => (moment ? [moment.getTime()] : [])))))
    timeline.note()
  }
}

/** Injects the faults of a scenario and simulates the decisions of users. */
class Director {
  readonly #release: RehearsedRelease
  readonly #scenario: Scenario
  readonly #timeline: Timeline
  #hasHappened = false
  #sequelAt: Date | undefined
  /** Pause that a user will continue, and the time of the decision. */
  #decision: { hookId: string; at: Date } | undefined

  constructor(release: RehearsedRelease, scenario: Scenario, timeline: Timeline) {
    this.#release = release
    this.#scenario = scenario
    this.#timeline = timeline
  }

  /** Time of the next fault or decision; undefined if none is planned. */
  get nextAt(): Date | undefined {
    const moments = [this.#sequelAt, this.#decision?.at].filter((moment) => moment !== undefined)
    return moments.sort((a, b) => a.getTime() - b.getTime())[0]
  }

  async direct(): Promise<void> {
    await this.#letIncidentHappen()
    await this.#letSequelHappen()
    if (!this.#scenario.leavesPauses) this.#continuePauses()
  }

  async #letIncidentHappen(): Promise<void> {
    const { incident } = this.#scenario
    const release = this.#release
    if (!incident || this.#hasHappened) return
    if (!incident.isDue(this.#timeline.sample().newTrafficPercent)) return
    this.#hasHappened = true
    await incident.happen?.(release)
    this.#timeline.hasBrokenRequests = incident.breaksRequests ?? false
    this.#timeline.incident(incident.message)
    this.#timeline.note()
    const { sequel } = incident
    if (sequel) this.#sequelAt = new Date(release.cloud.now().getTime() + sequel.afterMs)
  }

  async #letSequelHappen(): Promise<void> {
    const sequel = this.#scenario.incident?.sequel
    if (!sequel || !this.#sequelAt || this.#release.cloud.now() < this.#sequelAt) return
    this.#sequelAt = undefined
    if (this.#timeline.sample().errorPercent === 0) return
    this.#timeline.incident(sequel.message)
    await sequel.happen(this.#release)
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
