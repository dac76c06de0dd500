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
    needs: 'environments:read',
    params: IdParams,
    reply: [200, dataOf(EnvironmentNetwork)],
    refuses: ['environmentNotFound'],
  },
  updateEnvironmentNetwork: {
    operationId: 'updateEnvironmentNetwork',
    method: 'PATCH',
    path: '/environments/{id}/network',
    tag: 'AwsDefaultNetworks',
    summary: 'Replace the default network of an environment',
    needs: 'environments:write',
    on: { params: { id: 'environments' } },
    params: IdParams,
    body: dataOf(DefaultNetwork),
    reply: [200, dataOf(EnvironmentNetwork)],
    refuses: ['environmentNotFound', 'referenceNotFound'],
  },
  deleteEnvironmentNetwork: {
    operationId: 'deleteEnvironmentNetwork',
    method: 'DELETE',
    path: '/environments/{id}/network',
    tag: 'AwsDefaultNetworks',
    summary: 'Delete the default network of an environment',
    needs: 'environments:write',
    on: { params: { id: 'environments' } },
    params: IdParams,
    reply: noContent,
    refuses: ['environmentNotFound'],
  },
} as const satisfies RouteTable
