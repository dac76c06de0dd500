import { DefaultNetwork, EnvironmentNetwork } from '../../projects/environment-network.ts'
import { dataOf } from '../../values/envelope.ts'
import { IdParams } from '../../values/ids.ts'
import { noContent, type RouteTable } from '../route.ts'

export const environmentNetworkRoutes = {
  getEnvironmentNetwork: {
    operationId: 'getEnvironmentNetwork',
    method: 'GET',
    path: '/environments/{id}/network',
    tag: 'AwsDefaultNetworks',
    summary: 'Get the default network of an environment',
    permission: 'environments:read',
    params: IdParams,
    response: [200, dataOf(EnvironmentNetwork)],
    errors: ['environmentNotFound'],
  },
  updateEnvironmentNetwork: {
    operationId: 'updateEnvironmentNetwork',
    method: 'PATCH',
    path: '/environments/{id}/network',
    tag: 'AwsDefaultNetworks',
    summary: 'Replace the default network of an environment',
    permission: 'environments:write',
    on: { params: { id: 'environments' } },
    params: IdParams,
    body: dataOf(DefaultNetwork),
    response: [200, dataOf(EnvironmentNetwork)],
    errors: ['environmentNotFound', 'referenceNotFound'],
  },
  deleteEnvironmentNetwork: {
    operationId: 'deleteEnvironmentNetwork',
    method: 'DELETE',
    path: '/environments/{id}/network',
    tag: 'AwsDefaultNetworks',
    summary: 'Delete the default network of an environment',
    permission: 'environments:write',
    on: { params: { id: 'environments' } },
    params: IdParams,
    response: noContent,
    errors: ['environmentNotFound'],
  },
} as const satisfies RouteTable
