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
    needs: 'iac-resources:read',
    query: Type.Object(
      { ...pageParams, pipelineRunId: Type.Optional(Id), stackId: Type.Optional(Id) },
      { additionalProperties: false },
    ),
    reply: [200, listOf(IacPlan)],
    refuses: ['cursorInvalid'],
  },
  getIacPlan: {
    operationId: 'getIacPlan',
    method: 'GET',
    path: '/iac-plans/{id}',
    tag: 'TerraformResources',
    summary: 'Get an infrastructure plan',
    needs: 'iac-resources:read',
    params: IdParams,
    reply: [200, dataOf(IacPlan)],
    refuses: ['iacPlanUnknown'],
  },
} as const satisfies RouteTable
