import { arnIn } from '../arns.ts'
import { defineIamPermissions, type PermissionContext } from '../rights/right.ts'

const ofRepository = ({ repositoryName }: { repositoryName?: string }, { caller }: PermissionContext): string =>
  arnIn(caller.scope, 'ecr', `repository/${repositoryName}`)

export const ecrRights = defineIamPermissions({
  BatchDeleteImage: ofRepository,
  BatchGetImage: ofRepository,
  CreateRepository: ofRepository,
  DescribeImages: ofRepository,
  DescribeRepositories: ({ repositoryNames = ['*'] }: { repositoryNames?: string[] }, { caller }) =>
    repositoryNames.map((name) => arnIn(caller.scope, 'ecr', `repository/${name}`)),
  GetAuthorizationToken: () => '*',
  GetDownloadUrlForLayer: ofRepository,
  ListImageReferrers: ofRepository,
})
