import { Type } from 'typebox'
import { decisionsIncluded } from '../decision.ts'
import {
  ContinueDeployment,
  CreateDeployment,
  Deployment,
  DeploymentStatus,
  deploymentStatuses,
  PromoteDeployment,
  RollbackDeployment,
} from '../deployment.ts'
import { analysisIncluded } from '../deployment-analysis.ts'
import { outlookIncluded } from '../deployment-outlook.ts'
import { sourceIncluded } from '../deployment-source.ts'
import { dataOf } from '../envelope.ts'
import { Id, IdParams } from '../ids.ts'
import { dataWith, includeOf, listWith } from '../include.ts'
import { pageParams } from '../list.ts'
import type { RouteTable } from './route.ts'

export const deploymentRoutes = {
  createDeployment: {
    operationId: 'createDeployment',
    method: 'POST',
    path: '/deployments',
    tag: 'Deployments',
    summary: 'Queue a deployment of a module instance',
    needs: 'deployments:write',
    on: { body: { moduleInstanceId: 'module-instances' } },
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
        ...includeOf('analysis', 'source'),
      },
      { additionalProperties: false },
    ),
    reply: [200, listWith(Deployment, { ...analysisIncluded, ...sourceIncluded })],
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
    query: Type.Object(includeOf('analysis', 'decisions', 'outlook', 'source'), { additionalProperties: false }),
    reply: [
      200,
      dataWith(Deployment, { ...analysisIncluded, ...decisionsIncluded, ...outlookIncluded, ...sourceIncluded }),
    ],
    refuses: ['deploymentNotFound'],
  },
  continueDeployment: {
    operationId: 'continueDeployment',
    method: 'POST',
    path: '/deployments/{id}/continue',
    tag: 'Deployments',
    summary: 'Continue a deployment that is paused at a lifecycle stage',
    needs: 'approvals:write',
    on: { params: { id: 'deployments' } },
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
    on: { params: { id: 'deployments' } },
    params: IdParams,
    reply: [201, dataOf(Deployment)],
    refuses: ['deploymentNotFound', 'moduleInstanceDestroyed', 'noStoredRelease', 'queueFull'],
  },
  promoteDeployment: {
    operationId: 'promoteDeployment',
    method: 'POST',
    path: '/deployments/{id}/promote',
    tag: 'Deployments',
    summary: 'Release the version of a deployment in another environment: with its inputs, by what is configured there',
    needs: 'deployments:write',
    // Where it comes from, too: its inputs may hold what only those know who may release there.
    on: { params: { id: 'deployments' }, body: { moduleInstanceId: 'module-instances' } },
    params: IdParams,
    body: dataOf(PromoteDeployment),
    reply: [201, dataOf(Deployment)],
    refuses: [
      'deploymentNotFound',
      'noStoredRelease',
      'moduleInstanceNotFound',
      'moduleInstanceDestroyed',
      'moduleVersionMismatch',
      'inputInvalid',
      'moduleHasNoDeploy',
      'releaseInvalid',
      'cloudAccountNotConnected',
      'queueFull',
    ],
  },
  rollbackDeployment: {
    operationId: 'rollbackDeployment',
    method: 'POST',
    path: '/deployments/{id}/rollback',
    tag: 'Deployments',
    summary: 'Return to the release before a deployment, or to an earlier one',
    needs: 'deployments:write',
    on: { params: { id: 'deployments' } },
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
    on: { params: { id: 'deployments' } },
    params: IdParams,
    reply: [200, dataOf(Deployment)],
    refuses: ['deploymentNotFound', 'alreadyFinished'],
  },
} as const satisfies RouteTable
