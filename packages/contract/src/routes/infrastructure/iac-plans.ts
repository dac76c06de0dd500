import { Type } from 'typebox'
import { IacPlan } from '../../infrastructure/iac-plan.ts'
import { dataOf } from '../../values/envelope.ts'
import { Id, IdParams } from '../../values/ids.ts'
import { listOf, pageParams } from '../../values/list.ts'
import type { RouteTable } from '../route.ts'

export const iacPlanRoutes = {
  listIacPlans: {
    operationId: 'listIacPlans',
    method: 'GET',
    path: '/iac-plans',
    tag: 'TerraformResources',
    summary: 'List infrastructure plans',
    permission: 'iac-resources:read',
    query: Type.Object(
      { ...pageParams, pipelineRunId: Type.Optional(Id), stackId: Type.Optional(Id) },
      { additionalProperties: false },
    ),
    response: [200, listOf(IacPlan)],
    errors: ['cursorInvalid'],
  },
  getIacPlan: {
    operationId: 'getIacPlan',
    method: 'GET',
    path: '/iac-plans/{id}',
    tag: 'TerraformResources',
    summary: 'Get an infrastructure plan',
    permission: 'iac-resources:read',
    params: IdParams,
    response: [200, dataOf(IacPlan)],
    errors: ['iacPlanUnknown'],
  },
} as const satisfies RouteTable
