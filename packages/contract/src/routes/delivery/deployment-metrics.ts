import { DeploymentMetrics } from '../../delivery/deployment-metric.ts'
import { IdParams } from '../../values/ids.ts'
import type { RouteTable } from '../route.ts'

/** Metrics of both versions of a release, read from the cloud and not stored. */
export const deploymentMetricRoutes = {
  getDeploymentMetrics: {
    operationId: 'getDeploymentMetrics',
    method: 'GET',
    path: '/deployments/{id}/metrics',
    tag: 'AwsCloudWatch',
    summary: 'Read metrics of the old and the new version of a deployment',
    permission: 'deployments:read',
    params: IdParams,
    response: [200, DeploymentMetrics],
    errors: ['deploymentNotFound', 'deploymentUnreadable'],
  },
} as const satisfies RouteTable
