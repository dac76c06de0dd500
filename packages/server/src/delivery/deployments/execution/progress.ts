import type { Ec2Progress } from '../types/ec2/progress.ts'
import type { EcsProgress } from '../types/ecs/progress.ts'
import type { LambdaProgress } from '../types/lambda/progress.ts'
import type { StaticProgress } from '../types/static/progress.ts'

/** What happened to a pause that the cloud reported. */
export type HookAnswer = 'CONTINUE' | 'ROLLBACK' | 'TIMED_OUT' | 'GONE'

/** One pause of the release, as the cloud named it. */
export type Hook = {
  hookId: string
  /** Unknown of a pause that began and ended between two looks. */
  lifecycleStage?: string
  timeoutAction: string
  /** RFC 3339; when the cloud acts by itself. */
  expiresAt?: string
  /**
   * `waiting`: a person may decide. `continuing`: a person decided, the cloud has not been told yet.
   * `answered`: the cloud knows.
   */
  state: 'waiting' | 'continuing' | 'answered'
  answer?: HookAnswer
  /** Whether an event of the cloud led to it: then one will, too, when it ends. */
  isTold?: boolean
  /** Who continued it, for people. */
  continuedBy?: string
}

/** Where every deployment stands. Lives in the row, never on the wire. */
export type ProgressBase = {
  /** The step that comes next. */
  step: string
  /** How often that step was begun, so that a second attempt first looks whether the first one took effect. */
  attempt: number
  /** When the last attempt began, until it is certain that no request of it is on its way any more. RFC 3339. */
  attemptedAt?: string
  /** Since when the present step waits for something that it waits for only so long. RFC 3339. */
  waitingSince?: string
  /** Failed calls in a row, for the back-off. */
  troubles: number
  /** Observations in a row that showed nothing new, or that an event called for, for the back-off. */
  quiet: number
  hooks: Hook[]
  /** Milliseconds of working time that were left when the present pause began. */
  remainingMs?: number
}

/** Where a deployment stands, by its type. */
export type Progress = EcsProgress | Ec2Progress | LambdaProgress | StaticProgress
