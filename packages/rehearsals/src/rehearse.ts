import type { RehearsalScenario } from '@sluice/contract'
import type { RehearsalJob, RequestedScenario } from '@sluice/server/delivery/rehearsals/job'
import { Director } from './director.ts'
import { measureErrors, measureNothing } from './measurements.ts'
import { RehearsedRelease } from './rehearsed-release.ts'
import { faultsOf } from './scenarios.ts'
import { Timeline } from './timeline.ts'
import { verdictOn } from './verdict.ts'

/** Maximum duration of a rehearsed release, in milliseconds: each pause can last 14 days. */
const maxMs = 120 * 86_400_000
/** Time after the end of the release in which the cloud can still shift traffic and stop tasks, in milliseconds. */
const aftermathMs = 30 * 60_000

/** Rehearses one scenario in a new copy of the service. */
export async function rehearseScenario(job: RehearsalJob, requested: RequestedScenario): Promise<RehearsalScenario> {
  const release = await RehearsedRelease.open(job)
  const faults = faultsOf(requested, release.copy)
  const timeline = new Timeline(release)
  const leavesPauses = faults.some((fault) => fault.leavesPauses)
  release.measure = leavesPauses ? measureNothing : measureErrors(() => timeline.errorsSince)
  for (const fault of faults) await fault.prepare?.(release)
  const director = new Director(release, faults, timeline)
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
  return verdictOn({ requested, release, timeline, hasEveryFault: director.hasEveryFault, ...end })
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
