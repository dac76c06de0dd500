import { DeploymentMetrics } from '../../delivery/deployment-metric.ts'
import { IdParams } from '../../values/ids.ts'
import type { RouteTable } from '../route.ts'

/** How the two versions of a release do, as the cloud measures them. Nothing of it is kept here. */
export const deploymentMetricRoutes = {
  getDeploymentMetrics: {
    operationId: 'getDeploymentMetrics',
    method: 'GET',
    path: '/deployments/{id}/metrics',
    tag: 'AwsCloudWatch',
    summary: 'Read metrics of the old and the new version of a deployment, side by side',
    needs: 'deployments:read',
    params: IdParams,
    reply: [200, DeploymentMetrics],
    refuses: ['deploymentNotFound', 'deploymentUnreadable'],
  },
} as const satisfies RouteTable
