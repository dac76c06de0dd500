import { type Static, Type } from 'typebox'
import { UtcDateTime } from '../values/time.ts'
import { progressFields } from './deployment-progress.ts'

const closed = { additionalProperties: false } as const

/** CDN distribution that serves the site. */
export const SiteDistribution = Type.Object(
  {
    arn: Type.String({ description: 'ARN of the distribution.' }),
    distributionId: Type.String({ description: 'ID of the distribution.' }),
    domainName: Type.Optional(Type.String({ description: 'Domain name of the distribution.' })),
    status: Type.Optional(Type.String({ description: 'Status reported by the cloud at the last poll.' })),
  },
  { ...closed, description: 'CDN distribution that serves the site.' },
)
export type SiteDistribution = Static<typeof SiteDistribution>

/** Purposes of a cache invalidation. */
export const invalidationPurposes = ['RELEASE', 'ROLLBACK'] as const
export type InvalidationPurpose = (typeof invalidationPurposes)[number]

/** Cache invalidation of one distribution. */
export const SiteInvalidation = Type.Object(
  {
    distributionId: Type.String({ description: 'ID of the distribution.' }),
    invalidationId: Type.String({ description: 'ID of the invalidation in the cloud.' }),
    purpose: Type.Enum(invalidationPurposes, {
      description: 'Whether the invalidation follows the release or its rollback.',
    }),
    requestedAt: UtcDateTime,
    status: Type.String({ description: 'Status reported by the cloud: InProgress or Completed.' }),
  },
  { ...closed, description: 'Cache invalidation of one distribution.' },
)
export type SiteInvalidation = Static<typeof SiteInvalidation>

/** Deleted directory of an older release. */
export const RemovedPrefix = Type.Object(
  {
    prefix: Type.String({ description: 'Directory in the bucket.' }),
    objectCount: Type.Integer({ minimum: 0, description: 'Number of objects deleted from the directory.' }),
    startedAt: UtcDateTime,
    completedAt: Type.Optional(UtcDateTime),
  },
  {
    ...closed,
    description: 'Deleted directory of an older release. Without `completedAt`, the deletion is unfinished.',
  },
)
export type RemovedPrefix = Static<typeof RemovedPrefix>

/** Data of a static-site deployment. */
export const StaticDeploymentData = Type.Object(
  {
    type: Type.Literal('cloud:static'),
    bucket: Type.String({ description: 'Bucket that stores the releases.' }),
    distributionId: Type.String({ description: 'ID of the primary distribution.' }),
    distributions: Type.Array(SiteDistribution, { description: 'All distributions, the primary one first.' }),
    invalidationPaths: Type.Array(Type.String(), { description: 'Paths to invalidate in the caches.' }),
    invalidations: Type.Optional(Type.Array(SiteInvalidation, { description: 'Cache invalidations, oldest first.' })),
    keepLatestSuccessfulDeployCount: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'Number of successful releases whose directories are retained. If absent, all are retained.',
      }),
    ),
    keyValueStoreArn: Type.String({ description: 'ARN of the store whose key `active` names the served directory.' }),
    prefix: Type.String({ description: 'Directory in the bucket that contains the release.' }),
    previousPrefix: Type.Optional(
      Type.String({ description: 'Directory that was served before. Absent if there was none.' }),
    ),
    promotedAt: Type.Optional(UtcDateTime),
    region: Type.String({ description: 'Region of the bucket.' }),
    removedPrefixes: Type.Optional(
      Type.Array(RemovedPrefix, { description: 'Directories of older releases that were deleted after this release.' }),
    ),
    ...progressFields,
  },
  { ...closed, description: 'Data of a static-site deployment.' },
)
export type StaticDeploymentData = Static<typeof StaticDeploymentData>
