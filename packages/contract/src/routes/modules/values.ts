import { type TObject, Type } from 'typebox'
import { ValueOption } from '../../cloud/value-option.ts'
import type { RouteTable } from '../route.ts'

const closed = { additionalProperties: false } as const

const cloudAccountId = Type.Optional(Type.String({ maxLength: 100, description: 'The cloud account that is meant.' }))
const region = Type.Optional(Type.String({ maxLength: 100, description: 'The cloud region that is meant.' }))
const executionEnvironmentId = Type.Optional(
  Type.String({ maxLength: 100, description: 'Where the steps run; without, anywhere.' }),
)

/** One provider of options: `$values:cloud/regions` in a module's config is `GET /values/cloud/regions`. */
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
    needs: 'module-instances:read',
    query,
    reply: [
      200,
      Type.Object({ data: Type.Array(ValueOption) }, { ...closed, description: 'The options, best first.' }),
    ],
    refuses: [],
  }) as const

/** One that asks a cloud account, in a region. */
const ofAccount = <Id extends string, Path extends string, Query extends TObject>(
  operationId: Id,
  path: Path,
  summary: string,
  query: Query,
) =>
  ({
    ...provider(operationId, path, summary, query),
    refuses: ['accountOffersRefused', 'cloudUnreachable'],
  }) as const

const networkId = Type.Optional(Type.String({ maxLength: 100, description: 'The network that is meant; all.' }))

export const valueRoutes = {
  listCloudAccountValues: provider(
    'listCloudAccountValues',
    'service/cloud_accounts',
    'Offer the connected cloud accounts',
    Type.Object({}, closed),
  ),
  listExecutionEnvironmentValues: provider(
    'listExecutionEnvironmentValues',
    'service/execution_environments',
    'Offer the execution environments',
    Type.Object({ cloudAccountId, region }, closed),
  ),
  listCertificateValues: provider(
    'listCertificateValues',
    'service/certificates',
    'Offer the certificates that are issued',
    Type.Object({ cloudAccountId, region }, closed),
  ),
  listDomainValues: provider(
    'listDomainValues',
    'service/domains',
    'Offer the domains',
    Type.Object(
      { environmentId: Type.Optional(Type.String({ maxLength: 100, description: 'The environment that is meant.' })) },
      closed,
    ),
  ),
  listRegionValues: provider(
    'listRegionValues',
    'cloud/regions',
    'Offer the regions of the cloud',
    Type.Object({ cloudAccountId }, closed),
  ),
  listToolVersionValues: provider(
    'listToolVersionValues',
    'iac/versions',
    'Offer versions of the main iac tool, first those that runners have, each newest first',
    Type.Object({ executionEnvironmentId }, closed),
  ),
  listAlternativeToolVersionValues: provider(
    'listAlternativeToolVersionValues',
    'iac_alt/versions',
    'Offer versions of the second iac tool, first those that runners have, each newest first',
    Type.Object({ executionEnvironmentId }, closed),
  ),
  listInstanceTypeValues: provider(
    'listInstanceTypeValues',
    'cloud/ec2/instances',
    'Offer instance types with what they cost',
    Type.Object(
      {
        cloudAccountId,
        region,
        costUnit: Type.Optional(Type.Enum(['hour', 'minute'], { description: 'What the price is for; an hour.' })),
      },
      closed,
    ),
  ),
  listTaskSizeValues: provider(
    'listTaskSizeValues',
    'cloud/fargate/sizes',
    'Offer sizes of container tasks',
    Type.Object(
      {
        region,
        cpuArchitecture: Type.Optional(Type.String({ maxLength: 100, description: 'Such as X86_64 or ARM64.' })),
        operatingSystem: Type.Optional(Type.String({ maxLength: 100, description: 'Such as LINUX.' })),
        capacityProvider: Type.Optional(Type.String({ maxLength: 100, description: 'Such as FARGATE_SPOT.' })),
      },
      closed,
    ),
  ),
  listNetworkValues: ofAccount(
    'listNetworkValues',
    'cloud/networks',
    'Offer the networks of a cloud account, the default one first',
    Type.Object({ cloudAccountId, region }, closed),
  ),
  listSubnetValues: ofAccount(
    'listSubnetValues',
    'cloud/subnets',
    'Offer the subnets of a cloud account, with zone and free addresses',
    Type.Object(
      {
        cloudAccountId,
        region,
        networkId,
        access: Type.Optional(Type.Enum(['public', 'private'], { description: 'Only such; all.' })),
      },
      closed,
    ),
  ),
  listSecurityGroupValues: ofAccount(
    'listSecurityGroupValues',
    'cloud/security_groups',
    'Offer the security groups of a cloud account',
    Type.Object({ cloudAccountId, region, networkId }, closed),
  ),
  listImageRepositoryValues: ofAccount(
    'listImageRepositoryValues',
    'cloud/image_repositories',
    'Offer the repositories of images of a cloud account',
    Type.Object({ cloudAccountId, region }, closed),
  ),
  listImageValues: ofAccount(
    'listImageValues',
    'cloud/images',
    'Offer the tags of a repository of images, the newest first',
    Type.Object(
      {
        repository: Type.Optional(
          Type.String({
            maxLength: 400,
            examples: ['123456789012.dkr.ecr.eu-west-1.amazonaws.com/shop/web'],
            description: 'Its address, without tag. Of one outside of the connected accounts nothing is offered.',
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
      'Offer the branches of a connected repository, its default branch first',
      Type.Object(
        { repository: Type.Optional(Type.String({ maxLength: 2000, description: 'The address of the repository.' })) },
        closed,
      ),
    ),
    needs: 'code-sources:read',
    refuses: ['repositoryUnreadable', 'gitHostNotConfigured', 'gitHostUnreachable', 'gitHostRateLimited'],
  },
} as const satisfies RouteTable
