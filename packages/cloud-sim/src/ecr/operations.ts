import { operations } from '../operation.ts'
import { describeImages } from './images.ts'
import { getAuthorizationToken } from './registry.ts'
import { batchDeleteImage, listImageReferrers } from './removal.ts'
import { createRepository, describeRepositories } from './repositories.ts'

/** The ECR API, version 2015-09-21, as far as it tells what there is to be released, lets it be pushed, and deleted. */
export const ecrOperations = operations({
  BatchDeleteImage: batchDeleteImage,
  CreateRepository: createRepository,
  DescribeImages: describeImages,
  DescribeRepositories: describeRepositories,
  GetAuthorizationToken: getAuthorizationToken,
  ListImageReferrers: listImageReferrers,
})
