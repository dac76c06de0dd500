import { failures, type UserFacingError } from '@sluice/contract'
import { listed } from '../../platform/http/listed.ts'
import { present } from '../../platform/present.ts'
import type { RunnerTaskRow } from './tables.ts'

/** Observed state of a task. */
export type ObservedTask = {
  hasEnded: boolean
  /** Message of the cloud: the code and reason of its stop, and those of the container. */
  reason: string
  /** Exit code of the runner; absent if it never ran. */
  exitCode?: number
  /** Last lines of the runner's own log, if they can be read. */
  log?: string[]
}

type Said = Pick<ObservedTask, 'reason'> & Partial<ObservedTask>

const whatIsKnown = ({ reason, exitCode, log = [] }: Said) =>
  present({
    description: reason === '' ? undefined : `The cloud says: ${reason}`,
    details: log.length > 0 ? listed("The end of the runner's own log", log) : undefined,
    metadata: exitCode === undefined ? undefined : { exitCode },
  })

/** Returns the error of a task whose runner never started. A retry is safe. */
export const taskNotStarted = (stepName: string, said: Said): UserFacingError => ({
  code: failures.runnerTaskNotStarted.code,
  message: `The task for the step ${stepName} did not start.`,
  ...whatIsKnown(said),
})

/** Returns the error of a task that ended with an unknown progress. */
export const taskEnded = (stepName: string, said: Said): UserFacingError => ({
  code: failures.runnerTaskEnded.code,
  message: `The task ended before the step ${stepName} was done.`,
  ...whatIsKnown(said),
})

export function taskTooLate(stepName: string, { trouble, createdAt, deadlineAt }: RunnerTaskRow, seen?: ObservedTask) {
  const minutes = Math.round((deadlineAt.getTime() - createdAt.getTime()) / 60_000)
  const error = taskNotStarted(stepName, { ...seen, reason: seen?.reason || (trouble ?? '') })
  const message = `The task for the step ${stepName} did not start within ${minutes} minutes.`
  const hint = 'See whether its subnets lead to the image and to this service, and whether the cloud has room.'
  return { ...error, message, description: [error.description, hint].filter(Boolean).join(' ') }
}

export const lost = (stepName: string): UserFacingError => taskEnded(stepName, { reason: 'The task no longer exists.' })
