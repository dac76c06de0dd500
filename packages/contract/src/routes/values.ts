import { type TObject, Type } from 'typebox'
import { ValueOption } from '../value-option.ts'
import type { RouteTable } from './route.ts'

const closed = { additionalProperties: false } as const

const cloudAccountId = Type.Optional(Type.String({ maxLength: 100, description: 'The cloud account that is meant.' }))
const region = Type.Optional(Type.String({ maxLength: 100, description: 'The cloud region that is meant.' }))

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
  listRegionValues: provider(
    'listRegionValues',
    'cloud/regions',
    'Offer the regions of the cloud',
    Type.Object({ cloudAccountId }, closed),
  ),
  listToolVersionValues: provider(
    'listToolVersionValues',
    'iac/versions',
    'Offer versions of the main iac tool, newest first',
    Type.Object({}, closed),
  ),
  listAlternativeToolVersionValues: provider(
    'listAlternativeToolVersionValues',
    'iac_alt/versions',
    'Offer versions of the second iac tool, newest first',
    Type.Object({}, closed),
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
