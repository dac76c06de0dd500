import type { Routing } from '../../../../cloud/facts/lambda.ts'
import type { ProgressBase } from '../../execution/progress.ts'

/** The steps of a function deployment, in order; `pause`, `shift` and `bake` once for every shift of traffic. */
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

/** Where a function deployment stands. What is known of alias and version is in its data. */
export type LambdaProgress = ProgressBase & {
  step: LambdaStep
  /** What the alias did before, to which it returns. */
  before?: Routing
  /** What the function was before it was given the code: by this revision it takes the code once. */
  latest?: { revisionId: string; codeSha256: string }
  /**
   * The hash of the release's code, learned before it is given: by it a lost answer is told from somebody else's
   * change.
   */
  expected?: string
  /** How many shifts of traffic are done. */
  shifts: number
  /** When the present bake is over. RFC 3339. */
  bakeUntil?: string
  /** The versions that are still to be deleted after the release. */
  toRemove?: string[]
}
