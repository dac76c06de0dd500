import type { Deployment } from '@sluice/contract'
import { present } from '../../../platform/present.ts'
import { dataOf } from '../execution/state.ts'
import type { DeploymentOverview } from '../store/store.ts'

/** Returns the API representation of a deployment. */
export const serializeDeployment = (row: DeploymentOverview): Deployment =>
  present({
    id: row.id,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    organizationId: row.organizationId,
    projectId: row.projectId,
    environmentId: row.environmentId,
    moduleInstanceId: row.moduleInstanceId,
    description: row.description,
    status: row.status,
    deploymentType: row.deploymentType,
    triggerSource: row.triggerSource,
    startedAt: row.startedAt?.toISOString(),
    completedAt: row.completedAt?.toISOString(),
    data: dataOf(row.data),
    error: row.error ?? undefined,
    externalDeploymentId: row.externalDeploymentId ?? undefined,
    resourceArn: row.resourceArn ?? undefined,
    resourceName: row.resourceName ?? undefined,
    pipelineRunId: row.pipelineRunId ?? undefined,
    stepExecutionId: row.stepExecutionId ?? undefined,
    redeployOfDeploymentId: row.redeployOfDeploymentId ?? undefined,
    rollbackToDeploymentId: row.rollbackToDeploymentId ?? undefined,
  })
