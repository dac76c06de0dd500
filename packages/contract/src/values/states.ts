import type { Deployment, DeploymentStatus } from '../delivery/deployment.ts'
import type { DeploymentEvent } from '../delivery/deployment-progress.ts'
import type { PipelineRunStatus } from '../pipelines/pipeline-run.ts'
import type { PipelineStepExecutionStatus } from '../pipelines/pipeline-step-execution.ts'

// Imports types only, so that console pages that need the meaning of a status do not load every schema.

/**
 * Meaning of a status, common to all types of resources. A status that means `succeeded`, `failed` or `called off` is
 * final.
 */
export type Meaning = 'waiting' | 'under way' | 'asking' | 'succeeded' | 'failed' | 'called off'

/** A paused deployment is `IN_PROGRESS` too: see `pendingPause`. */
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

/** Returns whether a deployment with this status never changes again. */
export const isDeploymentOver = (status: DeploymentStatus): boolean => over.includes(meaningOfDeployment[status])
/** Returns whether a run with this status never changes again. */
export const isRunOver = (status: PipelineRunStatus): boolean => over.includes(meaningOfRun[status])
/** Returns whether a step with this status never changes again. */
export const isStepOver = (status: PipelineStepExecutionStatus): boolean => over.includes(meaningOfStep[status])

/** Returns the statuses in the order of the contract. */
const statusesOf = <Status extends string>(meanings: Record<Status, Meaning>) => Object.keys(meanings) as Status[]

export const unfinishedDeploymentStatuses = statusesOf(meaningOfDeployment).filter((one) => !isDeploymentOver(one))
export const unfinishedRunStatuses = statusesOf(meaningOfRun).filter((one) => !isRunOver(one))
export const unfinishedStepStatuses = statusesOf(meaningOfStep).filter((one) => !isStepOver(one))

/**
 * Returns the event of the pause that waits for a decision, if there is one. It is the last event with a hook, unless a
 * decision about that hook was accepted and the deployment has not continued yet.
 */
export function pendingPause({ status, data }: Pick<Deployment, 'status' | 'data'>): DeploymentEvent | undefined {
  if (status !== 'IN_PROGRESS') return undefined
  const latest = data?.events?.findLast(({ hookId }) => hookId !== undefined)
  const accepted = data && 'acceptedPauseControl' in data ? data.acceptedPauseControl?.hookId : undefined
  return latest?.stepCode === 'PAUSED' && latest.hookId !== accepted ? latest : undefined
}
