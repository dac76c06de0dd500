import type { Deployment, DeploymentStatus } from '../delivery/deployment.ts'
import type { DeploymentEvent } from '../delivery/deployment-progress.ts'
import type { PipelineRunStatus } from '../pipelines/pipeline-run.ts'
import type { PipelineStepExecutionStatus } from '../pipelines/pipeline-step-execution.ts'

// Stands on types alone, so that a page that asks what a status means does not load every schema.

/**
 * What a status means to everyone who follows a record, whichever record it is: it waits for its turn, work is done, it
 * asks a person, or it is over (`succeeded`, `failed`, `called off`) and never changes again.
 */
export type Meaning = 'waiting' | 'under way' | 'asking' | 'succeeded' | 'failed' | 'called off'

/** One that pauses is `IN_PROGRESS` as well: see `pendingPause`. */
export const meaningOfDeployment = {
  PENDING: 'waiting',
  IN_PROGRESS: 'under way',
  ROLLING_BACK: 'under way',
  SUCCESS: 'succeeded',
  ERROR: 'failed',
  CANCELLED: 'called off',
  ROLLED_BACK: 'failed',
} as const satisfies Record<DeploymentStatus, Meaning>

export const meaningOfRun = {
  QUEUED: 'waiting',
  IN_PROGRESS: 'under way',
  PENDING_APPROVAL: 'asking',
  SUCCESS: 'succeeded',
  ERROR: 'failed',
  CANCELLED: 'called off',
} as const satisfies Record<PipelineRunStatus, Meaning>

export const meaningOfStep = {
  ...meaningOfRun,
  SKIPPED: 'called off',
} as const satisfies Record<PipelineStepExecutionStatus, Meaning>

const over: readonly Meaning[] = ['succeeded', 'failed', 'called off']

/** Whether a deployment in this status never changes again. */
export const isDeploymentOver = (status: DeploymentStatus): boolean => over.includes(meaningOfDeployment[status])
/** The same of a run. */
export const isRunOver = (status: PipelineRunStatus): boolean => over.includes(meaningOfRun[status])
/** The same of a step. */
export const isStepOver = (status: PipelineStepExecutionStatus): boolean => over.includes(meaningOfStep[status])

/** In the order in which the contract lists them. */
const statusesOf = <Status extends string>(meanings: Record<Status, Meaning>) => Object.keys(meanings) as Status[]

export const unfinishedDeploymentStatuses = statusesOf(meaningOfDeployment).filter((one) => !isDeploymentOver(one))
export const unfinishedRunStatuses = statusesOf(meaningOfRun).filter((one) => !isRunOver(one))
export const unfinishedStepStatuses = statusesOf(meaningOfStep).filter((one) => !isStepOver(one))

/**
 * The event of the pause that waits for a person now, if one does: the last event with a hook, unless somebody has
 * decided about that hook just now and the release has not gone on yet.
 */
export function pendingPause({ status, data }: Pick<Deployment, 'status' | 'data'>): DeploymentEvent | undefined {
  if (status !== 'IN_PROGRESS') return undefined
  const latest = data?.events?.findLast(({ hookId }) => hookId !== undefined)
  const accepted = data && 'acceptedPauseControl' in data ? data.acceptedPauseControl?.hookId : undefined
  return latest?.stepCode === 'PAUSED' && latest.hookId !== accepted ? latest : undefined
}
