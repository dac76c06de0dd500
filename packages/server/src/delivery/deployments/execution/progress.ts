import type { Ec2Progress } from '../types/ec2/progress.ts'
import type { EcsProgress } from '../types/ecs/progress.ts'
import type { LambdaProgress } from '../types/lambda/progress.ts'
import type { StaticProgress } from '../types/static/progress.ts'

/** How the cloud reported the end of a pause. */
export type HookAnswer = 'CONTINUE' | 'ROLLBACK' | 'TIMED_OUT' | 'GONE'

/** Pause of the release, identified by the cloud's hook id. */
export type Hook = {
  hookId: string
  /** Absent if the pause began and ended between two polls. */
  lifecycleStage?: string
  timeoutAction: string
  /** RFC 3339 time at which the cloud acts by itself. */
  expiresAt?: string
  /**
   * `waiting`: a user can decide. `continuing`: a user has decided, and the cloud has not received the decision yet.
   * `answered`: the cloud has received it.
   */
  state: 'waiting' | 'continuing' | 'answered'
  answer?: HookAnswer
  /** Whether an event of the cloud reported the pause. If so, an event will also report its end. */
  isTold?: boolean
  /** Display name of the user who continued it. */
  continuedBy?: string
}

/** Internal progress of every deployment type. Stored in the row, never returned by the API. */
export type ProgressBase = {
  /** Next step. */
  step: string
  /** Number of attempts at that step. A second attempt first checks whether the first one took effect. */
  attempt: number
  /** RFC 3339 time of the last attempt; absent once none of its requests can be in flight. */
  attemptedAt?: string
  /** RFC 3339 time since when the current step waits for a condition that has a timeout. */
  waitingSince?: string
  /** Number of consecutive failed calls, for the back-off. */
  troubles: number
  /** Number of consecutive observations that found no change or were caused by an event, for the back-off. */
  quiet: number
  hooks: Hook[]
  /** Milliseconds of the deployment timeout that were left when the current pause began. */
  remainingMs?: number
}

/** Progress of a deployment, by its type. */
export type Progress = EcsProgress | Ec2Progress | LambdaProgress | StaticProgress
