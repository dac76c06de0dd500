import { operations } from '../operation.ts'
import { describeImages } from './images.ts'
import { describeRepositories } from './repositories.ts'

/** The ECR API, version 2015-09-21, as far as it tells what there is to be released. */
export const ecrOperations = operations({
  DescribeImages: describeImages,
  DescribeRepositories: describeRepositories,
})
