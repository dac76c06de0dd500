import type {
  CreateRepositoryRequest,
  DescribeRepositoriesRequest,
  Repository as RepositoryShape,
} from '@aws-sdk/client-ecr'
import { arnIn, regionAndAccountOf } from '../arns.ts'
import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import { seconds, type Wire } from '../wire/json.ts'
import type { World } from '../world.ts'
import { page } from './pages.ts'
import { ecr, type Repository } from './state.ts'

export function describeRepositories(world: World, caller: Caller, input: DescribeRepositoriesRequest) {
  const { repositoryNames: names, registryId } = input
  const found = names
    ? names.map((name) => findRepository(world, caller, { repositoryName: name, registryId }))
    : ecr(world).repositories.having('scope', caller.scope)
  const { items, nextToken } = page(found, ({ key }) => key, names, input)
  return { repositories: items.map(shown), nextToken }
}

export function createRepository(world: World, { scope }: Caller, input: CreateRepositoryRequest) {
  const { repositoryName: name = '', imageTagMutability: mutability = 'MUTABLE' } = input
  const { imageTagMutabilityExclusionFilters: filters = [] } = input
  if (filters.length > 0 && !mutability.endsWith('_WITH_EXCLUSION')) {
    throw new CloudError(
      'InvalidParameterException',
      `Invalid parameter at 'imageTagMutabilityExclusionFilters' failed to satisfy constraint: 'ImageTagMutabilityExclusionFilters can only be set when imageTagMutability is MUTABLE_WITH_EXCLUSION or IMMUTABLE_WITH_EXCLUSION'`,
    )
  }
  const key = arnIn(scope, 'ecr', `repository/${name}`)
  if (ecr(world).repositories.get(key)) {
    const { account } = regionAndAccountOf(scope)
    throw new CloudError(
      'RepositoryAlreadyExistsException',
      `The repository with name '${name}' already exists in the registry with id '${account}'`,
    )
  }
  const repository = { key, scope, name, mutability, createdAt: world.clock.timestamp(), images: [] }
  ecr(world).repositories.save(repository)
  return { repository: shown(repository) }
}

type Named = { repositoryName: string | undefined; registryId?: string | undefined }

/** Repositories of other accounts are inaccessible. */
export function findRepository(
  world: World,
  { scope }: Caller,
  { repositoryName: name, registryId }: Named,
): Repository {
  const own = regionAndAccountOf(scope).account
  const isOwn = registryId === undefined || registryId === own
  const found = ecr(world)
    .repositories.having('scope', scope)
    .find((one) => isOwn && one.name === name)
  if (found) return found
  throw new CloudError(
    'RepositoryNotFoundException',
    `The repository with name '${name}' does not exist in the registry with id '${registryId ?? own}'`,
  )
}

export const hostOf = ({ account, region }: { account: string; region: string }): string =>
  `${account}.dkr.ecr.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`

export const uriOf = ({ scope, name }: Repository): string => `${hostOf(regionAndAccountOf(scope))}/${name}`

const shown = (repository: Repository): Wire<RepositoryShape> => ({
  repositoryArn: repository.key,
  registryId: regionAndAccountOf(repository.scope).account,
  repositoryName: repository.name,
  repositoryUri: uriOf(repository),
  createdAt: seconds(repository.createdAt),
  imageTagMutability: repository.mutability ?? 'MUTABLE',
  imageScanningConfiguration: { scanOnPush: false },
  encryptionConfiguration: { encryptionType: 'AES256' },
})
