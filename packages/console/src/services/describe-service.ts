import type { FailedRelease, ReleaseInProgress, ServiceHealth, ServiceInEnvironment } from '@sluice/contract'
import { stageName } from '@sluice/contract/stages'

/** What runs: a release of Sluice, something else that the cloud reports, or nothing that Sluice knows of. */
export type Running = {
  words: string
  /** Deployment that released it; undefined if Sluice did not. */
  deploymentId?: string | undefined
  note?: string | undefined
  since?: string | undefined
  by?: string | undefined
}

export type Tasks = {
  words: string
  /** The same in a few characters, such as `1/2`. */
  short: string
  state: 'complete' | 'short' | 'none'
}

export type Progress = {
  words: string
  deploymentId: string
  isPaused: boolean
  /** Who or what must act before the release proceeds; undefined while it proceeds by itself. */
  actor?: string | undefined
  /** Reason why the deployment is queued. */
  message?: string | undefined
  pausedUntil?: string | undefined
  queued?: string | undefined
}

export type Failure = { words: string; deploymentId: string; at: string; message?: string | undefined }

/** State of a service in an environment, in the order in which it is shown. */
export type ServiceDescription = {
  running: Running
  tasks?: Tasks | undefined
  progress?: Progress | undefined
  failure?: Failure | undefined
}

type Known = {
  place: ServiceInEnvironment
  /** Task counts, if the service has tasks and the cloud reports them. */
  health?: ServiceHealth | undefined
  /** Whether the viewer can decide about pauses here. */
  canDecide: boolean
}

/** Decides the words for a service in an environment: what runs, what is in progress, and what failed last. */
export const describeService = ({ place, health, canDecide }: Known): ServiceDescription => ({
  running: describeRunning(place, health),
  tasks: describeTasks(place, health),
  progress: place.inProgress && describeProgress(place.inProgress, canDecide),
  failure: place.failed && describeFailed(place.failed),
})

export const notReleasedBySluice = 'Running, not released by Sluice'

function describeRunning({ running, inProgress }: ServiceInEnvironment, health: ServiceHealth | undefined): Running {
  if (running) {
    const { version = 'A release', deploymentId, isRollback, since, by } = running
    return { words: version, deploymentId, since, by, note: isRollback ? 'Rolled back to' : undefined }
  }
  const version = health?.version ?? inProgress?.previousVersion
  const hasTasks = health !== undefined && health.runningTasks + health.startingTasks > 0
  if (version === undefined && !hasTasks) return { words: 'Not released by Sluice yet' }
  return { words: version ?? 'Unknown version', note: notReleasedBySluice }
}

/** Without health, only a release that ended with too few tasks says something about them. */
function describeTasks(
  { running, inProgress }: ServiceInEnvironment,
  health: ServiceHealth | undefined,
): Tasks | undefined {
  const { runningTasks, desiredTasks, startingTasks = 0 } = { ...running, ...health }
  if (runningTasks === undefined || desiredTasks === undefined) return undefined
  const isShort = runningTasks < desiredTasks
  if (!health && !isShort) return undefined
  const short = `${runningTasks}/${desiredTasks}`
  if (inProgress && runningTasks > desiredTasks)
    return { words: `${runningTasks} tasks of both versions`, short, state: 'complete' }
  const words = `${runningTasks} of ${desiredTasks} ${desiredTasks === 1 ? 'task' : 'tasks'}`
  if (!isShort) return { words, short, state: 'complete' }
  const starting = startingTasks > 0 ? ` · ${startingTasks} starting` : ''
  return { words: words + starting, short, state: runningTasks === 0 ? 'none' : 'short' }
}

function describeProgress(release: ReleaseInProgress, canDecide: boolean): Progress {
  const { deploymentId, version, isPaused, pausedUntil, waiting, message } = release
  return {
    words: [version ?? 'A release', stageOf(release)].join(' · '),
    deploymentId,
    isPaused,
    actor: actorOf(release, canDecide),
    message,
    pausedUntil,
    queued: waiting > 0 ? `${waiting} more queued` : undefined,
  }
}

function stageOf({ status, stepCode, isPaused, newTrafficPercent }: ReleaseInProgress): string {
  if (status === 'PENDING') return 'queued'
  const stage = isPaused ? 'paused' : status === 'ROLLING_BACK' ? 'rolling back' : stepWords(stepCode)
  return newTrafficPercent === undefined ? stage : `${stage} at ${Math.round(newTrafficPercent)} % of traffic`
}

const stepWords = (stepCode: ReleaseInProgress['stepCode']): string =>
  stepCode === undefined ? 'in progress' : stageName(stepCode).toLowerCase()

function actorOf({ isPaused, hasRunningChecks }: ReleaseInProgress, canDecide: boolean): string | undefined {
  if (!isPaused) return undefined
  if (hasRunningChecks) return 'Waits for its checks'
  return canDecide ? 'Waits for your decision' : 'Waits for an approver'
}

const describeFailed = ({ version, status, deploymentId, at, message }: FailedRelease): Failure => ({
  words: `${version ?? 'A release'} ${status === 'ROLLED_BACK' ? 'was rolled back' : 'failed'}`,
  deploymentId,
  at,
  message,
})
