import type { ProgressBase } from '../../execution/progress.ts'

/** Steps of a static site deployment, in order; `restore` replaces `promote` in a rollback. */
export type StaticStep = 'prepare' | 'promote' | 'restore' | 'invalidate' | 'wait' | 'retain' | 'remove'

/** Progress of a static site deployment. */
export type StaticProgress = ProgressBase & {
  step: StaticStep
  /** Digest of the files before they were served; absent for very many files. */
  contentDigest?: string
  /** Ids of distributions that do not compress. */
  uncompressing?: string[]
  /** For a rollback: RFC 3339 time until when a promotion with a lost response may still reach the store. */
  promotionMayArriveUntil?: string
  /** Directories of old releases that are still to be deleted. */
  toRemove?: string[]
}
