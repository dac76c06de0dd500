import { operations } from '../operation.ts'
import { describeImages } from './images.ts'
import { getAuthorizationToken } from './registry.ts'
import { createRepository, describeRepositories } from './repositories.ts'

/** The ECR API, version 2015-09-21, as far as it tells what there is to be released, and lets it be pushed. */
export const ecrOperations = operations({
  CreateRepository: createRepository,
  DescribeImages: describeImages,
  DescribeRepositories: describeRepositories,
  GetAuthorizationToken: getAuthorizationToken,
})
