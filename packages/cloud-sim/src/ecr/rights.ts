import { arnIn } from '../arns.ts'
import { rights } from '../rights/right.ts'

export const ecrRights = rights({
  CreateRepository: ({ repositoryName }: { repositoryName?: string }, { caller }) =>
    arnIn(caller.scope, 'ecr', `repository/${repositoryName}`),
  DescribeImages: ({ repositoryName }: { repositoryName?: string }, { caller }) =>
    arnIn(caller.scope, 'ecr', `repository/${repositoryName}`),
  DescribeRepositories: ({ repositoryNames = ['*'] }: { repositoryNames?: string[] }, { caller }) =>
    repositoryNames.map((name) => arnIn(caller.scope, 'ecr', `repository/${name}`)),
  GetAuthorizationToken: () => '*',
})
