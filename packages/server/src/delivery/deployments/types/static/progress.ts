import type { ProgressBase } from '../../execution/progress.ts'

/** The steps of a static-site deployment, in order; `restore` takes the place of `promote` when it is rolled back. */
export type StaticStep = 'prepare' | 'promote' | 'restore' | 'invalidate' | 'wait' | 'retain' | 'remove'

/** Where a static-site deployment stands. */
export type StaticProgress = ProgressBase & {
  step: StaticStep
  /** Of the files as they were before they were served; absent of very many. */
  contentDigest?: string
  /** The ids of distributions that compress nothing. */
  uncompressing?: string[]
  /** On a rollback: until then a promotion whose answer was lost may still reach the store. RFC 3339. */
  promotionMayArriveUntil?: string
  /** The directories of older releases that are still to be deleted. */
  toRemove?: string[]
}
