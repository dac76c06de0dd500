import type { Routing } from '../../../../cloud/facts/lambda.ts'
import type { ProgressBase } from '../../execution/progress.ts'

/** Steps of a function deployment, in order; `pause`, `shift` and `bake` repeat for every traffic shift. */
export type LambdaStep =
  | 'prepare'
  | 'inspect'
  | 'code'
  | 'settle'
  | 'publish'
  | 'activate'
  | 'pause'
  | 'shift'
  | 'bake'
  | 'confirm'
  | 'retain'
  | 'remove'

/** Progress of a function deployment. The observed alias and version are in its data. */
export type LambdaProgress = ProgressBase & {
  step: LambdaStep
  /** Routing of the alias before the release, which a rollback restores. */
  before?: Routing
  /** State of the function before the code update. Its revision id makes the update idempotent. */
  latest?: { revisionId: string; codeSha256: string }
  /**
   * Hash of the release's code, determined before the update. It distinguishes an update with a lost response from
   * another actor's change.
   */
  expected?: string
  /** Number of completed traffic shifts. */
  shifts: number
  /** RFC 3339 time at which the current bake ends. */
  bakeUntil?: string
  /** Versions that are still to be deleted after the release. */
  toRemove?: string[]
}
