import { failures, type UserFacingError } from '@sluice/contract'
import { listed } from '../../platform/http/listed.ts'
import { present } from '../../platform/present.ts'
import type { RunnerTaskRow } from './tables.ts'

/** A task as the cloud shows it. */
export type Seen = {
  hasEnded: boolean
  /** In the cloud's words: the code and the reason of its stop, and the container's. */
  reason: string
  /** Of the runner; absent where it never ran. */
  exitCode?: number
  /** The last lines of the runner's own log, where they can be read. */
  log?: string[]
}

type Said = Pick<Seen, 'reason'> & Partial<Seen>

const whatIsKnown = ({ reason, exitCode, log = [] }: Said) =>
  present({
    description: reason === '' ? undefined : `The cloud says: ${reason}`,
    details: log.length > 0 ? listed("The end of the runner's own log", log) : undefined,
    metadata: exitCode === undefined ? undefined : { exitCode },
  })

/** It never came to carry anything out: trying again repeats nothing. */
export const taskNotStarted = (stepName: string, said: Said): UserFacingError => ({
  code: failures.runnerTaskNotStarted.code,
  message: `The task for the step ${stepName} did not start.`,
  ...whatIsKnown(said),
})

/** It had begun, and nobody knows how far it came. */
export const taskEnded = (stepName: string, said: Said): UserFacingError => ({
  code: failures.runnerTaskEnded.code,
  message: `The task ended before the step ${stepName} was done.`,
  ...whatIsKnown(said),
})

export function taskTooLate(stepName: string, { trouble, createdAt, deadlineAt }: RunnerTaskRow, seen?: Seen) {
  const minutes = Math.round((deadlineAt.getTime() - createdAt.getTime()) / 60_000)
  const error = taskNotStarted(stepName, { ...seen, reason: seen?.reason || (trouble ?? '') })
  const message = `The task for the step ${stepName} did not start within ${minutes} minutes.`
  const hint = 'See whether its subnets lead to the image and to this service, and whether the cloud has room.'
  return { ...error, message, description: [error.description, hint].filter(Boolean).join(' ') }
}

export const lost = (stepName: string): UserFacingError =>
  taskEnded(stepName, { reason: 'There is no such task any more.' })
