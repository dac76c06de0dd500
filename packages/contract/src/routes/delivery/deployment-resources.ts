import { DeploymentResources } from '../../delivery/deployment-resource.ts'
import { IdParams } from '../../values/ids.ts'
import type { RouteTable } from '../route.ts'

export const deploymentResourceRoutes = {
  listDeploymentResources: {
    operationId: 'listDeploymentResources',
    method: 'GET',
    path: '/deployments/{id}/resources',
    tag: 'DeploymentResources',
    summary: 'List the cloud resources of a deployment, current or as recorded when it ended',
    permission: 'deployments:read',
    params: IdParams,
    response: [200, DeploymentResources],
    errors: ['deploymentNotFound', 'deploymentUnreadable'],
  },
} as const satisfies RouteTable
