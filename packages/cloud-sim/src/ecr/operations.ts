import { operations } from '../operation.ts'
import { describeImages } from './images.ts'
import { batchGetImage, getDownloadUrlForLayer } from './manifests.ts'
import { createPullThroughCacheRule, describePullThroughCacheRules } from './pull-through-cache.ts'
import { getAuthorizationToken } from './registry.ts'
import { batchDeleteImage, listImageReferrers } from './removal.ts'
import { createRepository, describeRepositories } from './repositories.ts'

/** The ECR API, version 2015-09-21, as far as it tells what there is to be released, lets it be pushed, and deleted. */
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
