import { arnIn } from '../arns.ts'
import { rights, type Where } from '../rights/right.ts'

const ofRepository = ({ repositoryName }: { repositoryName?: string }, { caller }: Where): string =>
  arnIn(caller.scope, 'ecr', `repository/${repositoryName}`)

export const ecrRights = rights({
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
