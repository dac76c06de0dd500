import { operations } from '../operation.ts'
import { describeImages } from './images.ts'
import { batchGetImage, getDownloadUrlForLayer } from './manifests.ts'
import { createPullThroughCacheRule, describePullThroughCacheRules } from './pull-through-cache.ts'
import { getAuthorizationToken } from './registry.ts'
import { batchDeleteImage, listImageReferrers } from './removal.ts'
import { createRepository, describeRepositories } from './repositories.ts'

/** Simulated operations of ECR, API version 2015-09-21, for reading, pushing and deleting images. */
export const ecrOperations = operations({
  BatchDeleteImage: batchDeleteImage,
  BatchGetImage: batchGetImage,
  CreatePullThroughCacheRule: createPullThroughCacheRule,
  CreateRepository: createRepository,
  DescribeImages: describeImages,
  DescribePullThroughCacheRules: describePullThroughCacheRules,
  DescribeRepositories: describeRepositories,
  GetAuthorizationToken: getAuthorizationToken,
  GetDownloadUrlForLayer: getDownloadUrlForLayer,
  ListImageReferrers: listImageReferrers,
})
