import type { DistributionRef } from '../../../../cloud/facts/static.ts'
import type { ReleaseBase } from '../release.ts'

/** Static site release, as resolved when the deployment was accepted. Its region is that of the bucket. */
export type StaticRelease = ReleaseBase & {
  type: 'cloud:static'
  bucket: string
  /** Directory of the bucket, without leading or trailing slash. */
  prefix: string
  /** For a promotion: digest of the files that ran in the source environment. Other files are rejected. */
  contentDigest?: string
  /** The primary one first. */
  distributions: [DistributionRef, ...DistributionRef[]]
  keyValueStoreArn: string
  /** Paths to invalidate; if empty, the caches are left unchanged. */
  invalidationPaths: string[]
  /** Number of latest successful releases whose directories are retained; all if absent. */
  keepReleases?: number
}
