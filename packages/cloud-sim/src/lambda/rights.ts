import { arnIn, partitionOf } from '../arns.ts'
import {
  defineIamPermissions,
  type IamPermission,
  type PermissionContext,
  passRolePermissionsFor,
} from '../rights/right.ts'
import { type CodeInput, repositoryOf } from './code.ts'
import { type FunctionIdentifier, readName } from './records.ts'

const ownFunction = ({ FunctionName }: FunctionIdentifier, { caller }: PermissionContext) =>
  readName(caller, FunctionName).arn

/** Returns the function's ARN with its qualifier, if any. */
function qualified({ FunctionName, Qualifier }: FunctionIdentifier, { caller }: PermissionContext): string {
  const { arn, qualifier = Qualifier } = readName(caller, FunctionName)
  return qualifier === undefined ? arn : `${arn}:${qualifier}`
}

/**
 * Returns the permissions to fetch code, including images ("Lambda container images", developer guide), which the
 * caller needs.
 */
function fetching({ S3Bucket, S3Key, ImageUri }: CodeInput, { caller }: PermissionContext): IamPermission[] {
  if (S3Bucket) {
    return [{ action: 's3:GetObject', resource: `arn:${partitionOf(caller.region)}:s3:::${S3Bucket}/${S3Key}` }]
  }
  const repository = ImageUri === undefined ? undefined : repositoryOf(ImageUri)
  if (!repository) return []
  const resource = arnIn(`${repository.region}:${repository.account}`, 'ecr', `repository/${repository.name}`)
  return ['ecr:BatchGetImage', 'ecr:GetDownloadUrlForLayer'].map((action) => ({ action, resource }))
}

const tagged = ({ Resource = '*' }: { Resource?: string }) => Resource

export const lambdaRights = defineIamPermissions({
  CreateAlias: ownFunction,
  CreateFunction: (input: FunctionIdentifier & { Role?: string; Code?: CodeInput }, where) => [
    ownFunction(input, where),
    ...passRolePermissionsFor('lambda.amazonaws.com', [input.Role], where),
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
  UpdateFunctionCode: (input: FunctionIdentifier & CodeInput, where) => [
    ownFunction(input, where),
    ...fetching(input, where),
  ],
  UpdateFunctionConfiguration: (input: FunctionIdentifier & { Role?: string }, where) => [
    ownFunction(input, where),
    ...passRolePermissionsFor('lambda.amazonaws.com', [input.Role], where),
  ],
})
