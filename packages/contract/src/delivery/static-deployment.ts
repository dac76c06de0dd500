import { type Static, Type } from 'typebox'
import { UtcDateTime } from '../values/time.ts'
import { progressFields } from './deployment-progress.ts'

const closed = { additionalProperties: false } as const

/** A distribution of the content network that serves the site. */
export const SiteDistribution = Type.Object(
  {
    arn: Type.String({ description: 'Its name at the cloud.' }),
    distributionId: Type.String({ description: 'Its id.' }),
    domainName: Type.Optional(Type.String({ description: 'The name under which the content network serves it.' })),
    status: Type.Optional(Type.String({ description: "The cloud's status word when it was looked at." })),
  },
  { ...closed, description: 'A distribution of the content network that serves the site.' },
)
export type SiteDistribution = Static<typeof SiteDistribution>

/** What an invalidation is made for. */
export const invalidationPurposes = ['RELEASE', 'ROLLBACK'] as const
export type InvalidationPurpose = (typeof invalidationPurposes)[number]

/** An emptying of the caches of one distribution. */
export const SiteInvalidation = Type.Object(
  {
    distributionId: Type.String({ description: 'The distribution whose caches are emptied.' }),
    invalidationId: Type.String({ description: "The cloud's id of it." }),
    purpose: Type.Enum(invalidationPurposes, { description: 'Whether it follows the release or its rollback.' }),
    requestedAt: UtcDateTime,
    status: Type.String({ description: "The cloud's status word: InProgress or Completed." }),
  },
  { ...closed, description: 'An emptying of the caches of one distribution.' },
)
export type SiteInvalidation = Static<typeof SiteInvalidation>

/** A directory of an older release that was deleted. */
export const RemovedPrefix = Type.Object(
  {
    prefix: Type.String({ description: 'The directory of the bucket.' }),
    objectCount: Type.Integer({ minimum: 0, description: 'How many objects were deleted from it.' }),
    startedAt: UtcDateTime,
    completedAt: Type.Optional(UtcDateTime),
  },
  { ...closed, description: 'A directory of an older release that was deleted; unfinished without `completedAt`.' },
)
export type RemovedPrefix = Static<typeof RemovedPrefix>

/** What a static-site deployment knows of itself. */
export const StaticDeploymentData = Type.Object(
  {
    type: Type.Literal('cloud:static'),
    bucket: Type.String({ description: 'The bucket that holds the releases.' }),
    distributionId: Type.String({ description: 'The primary distribution of the content network.' }),
    distributions: Type.Array(SiteDistribution, { description: 'All distributions, the primary one first.' }),
    invalidationPaths: Type.Array(Type.String(), { description: 'The paths that are emptied from the caches.' }),
    invalidations: Type.Optional(Type.Array(SiteInvalidation, { description: 'What was emptied, oldest first.' })),
    keepLatestSuccessfulDeployCount: Type.Optional(
      Type.Integer({ minimum: 0, description: 'How many successful releases keep their directory; absent: all.' }),
    ),
    keyValueStoreArn: Type.String({ description: 'The store whose key `active` says which directory is served.' }),
    prefix: Type.String({ description: 'The directory of the bucket that is released.' }),
    previousPrefix: Type.Optional(
      Type.String({ description: 'The directory that was served before; absent: there was none.' }),
    ),
    promotedAt: Type.Optional(UtcDateTime),
    region: Type.String({ description: 'The region of the bucket.' }),
    removedPrefixes: Type.Optional(
      Type.Array(RemovedPrefix, { description: 'Directories of older releases that were deleted after this one.' }),
    ),
    ...progressFields,
  },
  { ...closed, description: 'State of a static-site deployment.' },
)
export type StaticDeploymentData = Static<typeof StaticDeploymentData>
