import { arnIn, partitionOf } from '../arns.ts'
import { passing, type Right, rights, type Where } from '../rights/right.ts'
import { type CodeInput, repositoryOf } from './code.ts'
import { type FunctionNamed, readName } from './records.ts'

const ownFunction = ({ FunctionName }: FunctionNamed, { caller }: Where) => readName(caller, FunctionName).arn

/** Returns the function's ARN with its qualifier, if any. */
function qualified({ FunctionName, Qualifier }: FunctionNamed, { caller }: Where): string {
  const { arn, qualifier = Qualifier } = readName(caller, FunctionName)
  return qualifier === undefined ? arn : `${arn}:${qualifier}`
}

/**
 * Returns the permissions to fetch code, including images ("Lambda container images", developer guide), which the
 * caller needs.
 */
function fetching({ S3Bucket, S3Key, ImageUri }: CodeInput, { caller }: Where): Right[] {
  if (S3Bucket) {
    return [{ action: 's3:GetObject', resource: `arn:${partitionOf(caller.region)}:s3:::${S3Bucket}/${S3Key}` }]
  }
  const repository = ImageUri === undefined ? undefined : repositoryOf(ImageUri)
  if (!repository) return []
  const resource = arnIn(`${repository.region}:${repository.account}`, 'ecr', `repository/${repository.name}`)
  return ['ecr:BatchGetImage', 'ecr:GetDownloadUrlForLayer'].map((action) => ({ action, resource }))
}

const tagged = ({ Resource = '*' }: { Resource?: string }) => Resource

export const lambdaRights = rights({
  CreateAlias: ownFunction,
  CreateFunction: (input: FunctionNamed & { Role?: string; Code?: CodeInput }, where) => [
    ownFunction(input, where),
    ...passing('lambda.amazonaws.com', [input.Role], where),
    ...fetching(input.Code ?? {}, where),
  ],
  DeleteAlias: ownFunction,
  DeleteFunction: ownFunction,
  DeleteFunctionConcurrency: ownFunction,
  DeleteProvisionedConcurrencyConfig: qualified,
  GetAlias: ownFunction,
  GetFunction: qualified,
  GetFunctionCodeSigningConfig: ownFunction,
  GetFunctionConfiguration: qualified,
  GetProvisionedConcurrencyConfig: qualified,
  ListAliases: ownFunction,
  ListFunctions: () => '*',
  ListTags: tagged,
  ListVersionsByFunction: ownFunction,
  PublishVersion: ownFunction,
  PutFunctionConcurrency: ownFunction,
  PutProvisionedConcurrencyConfig: qualified,
  TagResource: tagged,
  UntagResource: tagged,
  UpdateAlias: ownFunction,
  UpdateFunctionCode: (input: FunctionNamed & CodeInput, where) => [
    ownFunction(input, where),
    ...fetching(input, where),
  ],
  UpdateFunctionConfiguration: (input: FunctionNamed & { Role?: string }, where) => [
    ownFunction(input, where),
    ...passing('lambda.amazonaws.com', [input.Role], where),
  ],
})
