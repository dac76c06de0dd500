import type { DistributionRef } from '../../../../cloud/facts/static.ts'
import type { ReleaseBase } from '../release.ts'

/** A static-site release as it was resolved when the deployment was accepted. Its region is that of the bucket. */
export type StaticRelease = ReleaseBase & {
  type: 'cloud:static'
  bucket: string
  /** The directory of the bucket that is released, without a slash at either end. */
  prefix: string
  /** On a promotion: the digest of the files that ran where it comes from. No others are released. */
  contentDigest?: string
  /** The primary one first. */
  distributions: [DistributionRef, ...DistributionRef[]]
  keyValueStoreArn: string
  /** Empty: the caches are left as they are. */
  invalidationPaths: string[]
  /** How many of the latest successful releases keep their directory; absent: all. */
  keepReleases?: number
}
