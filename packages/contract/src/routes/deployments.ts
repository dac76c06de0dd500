import { Type } from 'typebox'
import { decisionsIncluded } from '../decision.ts'
import {
  ContinueDeployment,
  CreateDeployment,
  Deployment,
  DeploymentStatus,
  deploymentStatuses,
  RollbackDeployment,
} from '../deployment.ts'
import { dataOf } from '../envelope.ts'
import { Id, IdParams } from '../ids.ts'
import { dataWith, includeOf } from '../include.ts'
import { listOf, pageParams } from '../list.ts'
import type { RouteTable } from './route.ts'

export const deploymentRoutes = {
  createDeployment: {
    operationId: 'createDeployment',
    method: 'POST',
    path: '/deployments',
    tag: 'Deployments',
    summary: 'Queue a deployment of a module instance',
    needs: 'deployments:write',
    body: dataOf(CreateDeployment),
    reply: [201, dataOf(Deployment)],
    refuses: [
      'moduleInstanceNotFound',
      'moduleInstanceDestroyed',
      'inputInvalid',
      'moduleHasNoDeploy',
      'releaseInvalid',
      'cloudAccountNotConnected',
      'queueFull',
    ],
  },
  listDeployments: {
    operationId: 'listDeployments',
    method: 'GET',
    path: '/deployments',
    tag: 'Deployments',
    summary: 'List deployments',
    needs: 'deployments:read',
    query: Type.Object(
      {
        ...pageParams,
        moduleInstanceId: Type.Optional(Id),
        environmentId: Type.Optional(Id),
        projectId: Type.Optional(Id),
        pipelineRunId: Type.Optional(Id),
        status: Type.Optional(
          Type.Array(DeploymentStatus, {
            maxItems: deploymentStatuses.length,
            description: 'Only those with one of these statuses; repeat the parameter.',
          }),
        ),
      },
      { additionalProperties: false },
    ),
    reply: [200, listOf(Deployment)],
    refuses: ['cursorInvalid'],
  },
  getDeployment: {
    operationId: 'getDeployment',
    method: 'GET',
    path: '/deployments/{id}',
    tag: 'Deployments',
    summary: 'Get a deployment',
    needs: 'deployments:read',
    params: IdParams,
    query: Type.Object(includeOf('decisions'), { additionalProperties: false }),
    reply: [200, dataWith(Deployment, decisionsIncluded)],
    refuses: ['deploymentNotFound'],
  },
  continueDeployment: {
    operationId: 'continueDeployment',
    method: 'POST',
    path: '/deployments/{id}/continue',
    tag: 'Deployments',
    summary: 'Continue a deployment that is paused at a lifecycle stage',
    needs: 'deployments:write',
    params: IdParams,
    body: dataOf(ContinueDeployment),
    reply: [200, dataOf(Deployment)],
    refuses: ['deploymentNotFound', 'notPaused', 'hookNotPending'],
  },
  redeployDeployment: {
    operationId: 'redeployDeployment',
    method: 'POST',
    path: '/deployments/{id}/redeploy',
    tag: 'Deployments',
    summary: 'Deploy the exact release of an earlier deployment again',
    needs: 'deployments:write',
    params: IdParams,
    reply: [201, dataOf(Deployment)],
    refuses: ['deploymentNotFound', 'moduleInstanceDestroyed', 'noStoredRelease', 'queueFull'],
  },
  rollbackDeployment: {
    operationId: 'rollbackDeployment',
    method: 'POST',
    path: '/deployments/{id}/rollback',
    tag: 'Deployments',
    summary: 'Return to the release before a deployment, or to an earlier one',
    needs: 'deployments:write',
    params: IdParams,
    body: Type.Object(
      { data: Type.Optional(RollbackDeployment) },
      { additionalProperties: false, description: 'May be left out.' },
    ),
    reply: [201, dataOf(Deployment)],
    refuses: [
      'deploymentNotFound',
      'moduleInstanceDestroyed',
      'nothingChanged',
      'noEarlierRelease',
      'rollbackTargetInvalid',
      'rollbackUnderWay',
    ],
  },
  cancelDeployment: {
    operationId: 'cancelDeployment',
    method: 'POST',
    path: '/deployments/{id}/cancel',
    tag: 'Deployments',
    summary: 'Cancel a deployment that is not over',
    needs: 'deployments:write',
    params: IdParams,
    reply: [200, dataOf(Deployment)],
    refuses: ['deploymentNotFound', 'alreadyFinished'],
  },
} as const satisfies RouteTable
