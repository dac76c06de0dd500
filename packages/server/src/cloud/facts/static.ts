import type { SiteDistribution } from '@sluice/contract'

/** Key of the store whose value is the directory that the site serves. */
export const activeKey = 'active'

/** Reference to a CloudFront distribution. */
export type DistributionRef = { id: string; arn: string }

/**
 * Whether a directory of a bucket has files, with a digest of them. Directories with very many files have no digest.
 */
export type ObservedFiles = { hasFiles: boolean; contentDigest?: string }

/** State of a site before the release, and of the directory to release. */
export type SiteFacts = ObservedFiles & {
  /** Value of the key `active` in the store; absent if unset. */
  active?: string
  distributions: SiteDistribution[]
  /** Ids of distributions that do not compress responses. */
  uncompressing: string[]
}

/** Result of changing the active directory. */
export type ActivationResult =
  | { verdict: 'set' }
  /** The value changed since the first read, because of a change outside Sluice. */
  | { verdict: 'changed'; active: string | undefined }

/** Result of restoring the previously active directory. */
export type Restoration =
  | { verdict: 'put-back' }
  /** The previous directory is already active. */
  | { verdict: 'as-before' }
  /** The promotion took effect although its response was lost. Nothing was restored yet. */
  | { verdict: 'ours' }
  | { verdict: 'changed'; active: string | undefined }

/** State of a CloudFront invalidation. */
export type InvalidationFacts = { distributionId: string; invalidationId: string; status: string }

/** Result of deleting one page of a directory's objects. */
export type RemovedPage =
  | { verdict: 'removed'; objectCount: number; isEmpty: boolean }
  /** The directory, or one inside it, is active, so nothing was deleted. */
  | { verdict: 'active' }
