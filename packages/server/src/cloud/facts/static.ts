import type { SiteDistribution } from '@sluice/contract'

/** A distribution of the content network. */
export type DistributionRef = { id: string; arn: string }

/** What a directory of a bucket holds, if anything, and what tells that from all else; absent of very many files. */
export type FilesSeen = { hasFiles: boolean; contentDigest?: string }

/** What a site is before we touch it, with the directory to be released. */
export type SiteFacts = FilesSeen & {
  /** What the store's key `active` says; absent while it says nothing. */
  active?: string
  distributions: SiteDistribution[]
  /** The ids of those that send files as they are stored, also to who accepts them compressed. */
  uncompressing: string[]
}

/** What became of an attempt to set the store's key. */
export type Promotion =
  | { verdict: 'set' }
  /** It has another value than it had when we looked first: somebody else decided. */
  | { verdict: 'changed'; active: string | undefined }

/** What became of an attempt to put back what was served before. */
export type Restoration =
  | { verdict: 'put-back' }
  /** It is served, so there is nothing to put back. */
  | { verdict: 'as-before' }
  /** Our promotion took effect, which we had not known; nothing was changed yet. */
  | { verdict: 'ours' }
  | { verdict: 'changed'; active: string | undefined }

/** The state of an invalidation, as the cloud tells it. */
export type InvalidationFacts = { distributionId: string; invalidationId: string; status: string }

/** One page of a directory's objects was deleted. */
export type RemovedPage =
  | { verdict: 'removed'; objectCount: number; isEmpty: boolean }
  /** It is served, or what is served lies in it: it stays. */
  | { verdict: 'active' }
