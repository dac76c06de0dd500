import { CreateDeployment } from '../../delivery/deployment.ts'
import { DeploymentCheck } from '../../delivery/deployment-check.ts'
import { dataOf } from '../../values/envelope.ts'
import type { RouteTable } from '../route.ts'

export const deploymentCheckRoutes = {
  createDeploymentCheck: {
    operationId: 'createDeploymentCheck',
    method: 'POST',
    path: '/deployment-checks',
    tag: 'Deployments',
    summary: 'Check whether a deployment of a module instance would succeed, without creating it',
    permission: 'deployments:write',
    on: { body: { moduleInstanceId: 'module-instances' } },
    body: dataOf(CreateDeployment),
    response: [201, dataOf(DeploymentCheck)],
    errors: [
      'previewInProduction',
      'moduleInstanceNotFound',
      'moduleInstanceDestroyed',
      'inputInvalid',
      'moduleHasNoDeploy',
      'releaseInvalid',
      'cloudAccountNotConnected',
    ],
  },
} as const satisfies RouteTable
