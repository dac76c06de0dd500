import { type TObject, Type } from 'typebox'
import { ValueOption } from '../../cloud/value-option.ts'
import type { RouteTable } from '../route.ts'

const closed = { additionalProperties: false } as const

const cloudAccountId = Type.Optional(Type.String({ maxLength: 100, description: 'ID of the cloud account.' }))
const region = Type.Optional(Type.String({ maxLength: 100, description: 'Cloud region.' }))
const executionEnvironmentId = Type.Optional(
  Type.String({ maxLength: 100, description: 'ID of the execution environment of the steps. Defaults to any.' }),
)

/**
 * Defines a provider of options: `$values:cloud/regions` in a module configuration calls `GET /values/cloud/regions`.
 */
const provider = <Id extends string, Path extends string, Query extends TObject>(
  operationId: Id,
  path: Path,
  summary: string,
  query: Query,
) =>
  ({
    operationId,
    method: 'GET',
    path: `/values/${path}`,
    tag: 'Values',
    summary,
    permission: 'module-instances:read',
    query,
    response: [
      200,
      Type.Object({ data: Type.Array(ValueOption) }, { ...closed, description: 'Options, most suitable first.' }),
    ],
    errors: [],
  }) as const

/** Defines a provider that queries a cloud account in a region. */
const ofAccount = <Id extends string, Path extends string, Query extends TObject>(
  operationId: Id,
  path: Path,
  summary: string,
  query: Query,
) =>
  ({
    ...provider(operationId, path, summary, query),
    errors: ['accountOffersRefused', 'cloudUnreachable'],
  }) as const

const networkId = Type.Optional(
  Type.String({ maxLength: 100, description: 'ID of the network. Defaults to all networks.' }),
)

export const valueRoutes = {
  listCloudAccountValues: provider(
    'listCloudAccountValues',
    'service/cloud_accounts',
    'List connected cloud accounts as options',
    Type.Object({}, closed),
  ),
  listExecutionEnvironmentValues: provider(
    'listExecutionEnvironmentValues',
    'service/execution_environments',
    'List execution environments as options',
    Type.Object({ cloudAccountId, region }, closed),
  ),
  listCertificateValues: provider(
    'listCertificateValues',
    'service/certificates',
    'List issued certificates as options',
    Type.Object({ cloudAccountId, region }, closed),
  ),
  listDomainValues: provider(
    'listDomainValues',
    'service/domains',
    'List domains as options',
    Type.Object(
      { environmentId: Type.Optional(Type.String({ maxLength: 100, description: 'ID of the environment.' })) },
      closed,
    ),
  ),
  listRegionValues: provider(
    'listRegionValues',
    'cloud/regions',
    'List cloud regions as options',
    Type.Object({ cloudAccountId }, closed),
  ),
  listToolVersionValues: provider(
    'listToolVersionValues',
    'iac/versions',
    'List versions of the main IaC tool as options, installed ones first, newest first',
    Type.Object({ executionEnvironmentId }, closed),
  ),
  listAlternativeToolVersionValues: provider(
    'listAlternativeToolVersionValues',
    'iac_alt/versions',
    'List versions of the alternative IaC tool as options, installed ones first, newest first',
    Type.Object({ executionEnvironmentId }, closed),
  ),
  listInstanceTypeValues: provider(
    'listInstanceTypeValues',
    'cloud/ec2/instances',
    'List instance types with prices as options',
    Type.Object(
      {
        cloudAccountId,
        region,
        costUnit: Type.Optional(
          Type.Enum(['hour', 'minute'], { description: 'Time unit of the price. Defaults to hour.' }),
        ),
      },
      closed,
    ),
  ),
  listTaskSizeValues: provider(
    'listTaskSizeValues',
    'cloud/fargate/sizes',
    'List container task sizes as options',
    Type.Object(
      {
        region,
        cpuArchitecture: Type.Optional(
          Type.String({ maxLength: 100, description: 'CPU architecture, such as X86_64 or ARM64.' }),
        ),
        operatingSystem: Type.Optional(
          Type.String({ maxLength: 100, description: 'Operating system, such as LINUX.' }),
        ),
        capacityProvider: Type.Optional(
          Type.String({ maxLength: 100, description: 'Capacity provider, such as FARGATE_SPOT.' }),
        ),
      },
      closed,
    ),
  ),
  listNetworkValues: ofAccount(
    'listNetworkValues',
    'cloud/networks',
    'List the networks of a cloud account as options, the default network first',
    Type.Object({ cloudAccountId, region }, closed),
  ),
  listSubnetValues: ofAccount(
    'listSubnetValues',
    'cloud/subnets',
    'List the subnets of a cloud account as options, with zone and free addresses',
    Type.Object(
      {
        cloudAccountId,
        region,
        networkId,
        access: Type.Optional(Type.Enum(['public', 'private'], { description: 'Filters by access. Defaults to all.' })),
      },
      closed,
    ),
  ),
  listSecurityGroupValues: ofAccount(
    'listSecurityGroupValues',
    'cloud/security_groups',
    'List the security groups of a cloud account as options',
    Type.Object({ cloudAccountId, region, networkId }, closed),
  ),
  listImageRepositoryValues: ofAccount(
    'listImageRepositoryValues',
    'cloud/image_repositories',
    'List the image repositories of a cloud account as options',
    Type.Object({ cloudAccountId, region }, closed),
  ),
  listImageValues: ofAccount(
    'listImageValues',
    'cloud/images',
    'List the tags of an image repository as options, newest first',
    Type.Object(
      {
        repository: Type.Optional(
          Type.String({
            maxLength: 400,
            examples: ['123456789012.dkr.ecr.eu-west-1.amazonaws.com/shop/web'],
            description:
              'Address of the repository without a tag. Repositories outside of the connected accounts have no options.',
          }),
        ),
      },
      closed,
    ),
  ),
  listBranchValues: {
    ...provider(
      'listBranchValues',
      'git/branches',
      'List the branches of a connected repository as options, the default branch first',
      Type.Object(
        { repository: Type.Optional(Type.String({ maxLength: 2000, description: 'URL of the repository.' })) },
        closed,
      ),
    ),
    permission: 'code-sources:read',
    errors: ['repositoryUnreadable', 'gitHostNotConfigured', 'gitHostUnreachable', 'gitHostRateLimited'],
  },
} as const satisfies RouteTable
