import type { Decision } from './decision.ts'
import type { Deployment } from './deployment.ts'
import type { DeploymentEvent } from './deployment-progress.ts'
import { eventsOf, eventsWithoutStep, stageName, stagesOf } from './stages.ts'

/** Stage that a deployment reached, with its start, its end, its paused time and the decisions made during it. */
export type StageSpan = {
  name: string
  /** Milliseconds since the Unix epoch. */
  from: number
  /** Absent while the stage is in progress. */
  to?: number
  pausedMs: number
  decisions: readonly Decision[]
}

/** Returns the stages that a deployment has reached, in order. A rollback is a stage of its own. */
export function spansOf(deployment: Deployment, decisions: readonly Decision[], now: number): StageSpan[] {
  const events = eventsOf(deployment)
  const end = deployment.completedAt === undefined ? undefined : Date.parse(deployment.completedAt)
  const begun = beginningsOf(deployment)
  return begun.map(({ name, from }, index) => {
    const isFirst = index === 0
    const next = begun[index + 1]?.from
    const to = next ?? end
    const isHere = ({ createdAt }: Decision) =>
      (isFirst || Date.parse(createdAt) >= from) && (next === undefined || Date.parse(createdAt) < next)
    return {
      name,
      from,
      pausedMs: pausedWithin(events, from, to ?? now),
      ...(to !== undefined && { to }),
      decisions: decisions.filter(isHere),
    }
  })
}

function beginningsOf(deployment: Deployment): { name: string; from: number }[] {
  const events = eventsOf(deployment)
  const stages = stagesOf(deployment).flatMap(({ code, first, last }) => {
    const reached = events.find(
      ({ currentStep, stepCode }) =>
        currentStep >= first && currentStep <= last && !eventsWithoutStep.includes(stepCode),
    )
    return reached && code ? [{ name: stageName(code), from: Date.parse(reached.startedAt) }] : []
  })
  const back = events.find(({ stepCode }) => stepCode === 'ROLLBACK_STARTED')
  return back ? [...stages, { name: 'Roll back', from: Date.parse(back.startedAt) }] : stages
}

/** Returns how long a deployment was paused between two times, in milliseconds. */
function pausedWithin(events: readonly DeploymentEvent[], from: number, to: number): number {
  const pauses = events.filter(({ stepCode }) => stepCode === 'PAUSED')
  return pauses.reduce((sum, { hookId, startedAt }) => {
    const ended = events.find((event) => event.stepCode === 'CONTINUED' && event.hookId === hookId)
    const overlap = Math.min(to, ended ? Date.parse(ended.startedAt) : to) - Math.max(from, Date.parse(startedAt))
    return sum + Math.max(0, overlap)
  }, 0)
}
