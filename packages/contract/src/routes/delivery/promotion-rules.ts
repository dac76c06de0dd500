import { Type } from 'typebox'
import { CreatePromotionRule, PromotionRule, UpdatePromotionRule } from '../../delivery/promotion-rule.ts'
import { dataOf } from '../../values/envelope.ts'
import { Id, IdParams } from '../../values/ids.ts'
import { listOf, pageParams } from '../../values/list.ts'
import { noContent, type RouteTable } from '../route.ts'

const filters = { projectId: Type.Optional(Id), environmentId: Type.Optional(Id) }

export const promotionRuleRoutes = {
  createPromotionRule: {
    operationId: 'createPromotionRule',
    method: 'POST',
    path: '/promotion-rules',
    tag: 'PromotionRules',
    summary: 'Create a promotion rule',
    needs: 'promotion-rules:write',
    on: { body: { fromEnvironmentId: 'environments', environmentId: 'environments' } },
    body: dataOf(CreatePromotionRule),
    reply: [201, dataOf(PromotionRule)],
    refuses: ['referenceNotFound', 'promotionRuleExists', 'promotionStepInvalid', 'tooManyPromotionRules'],
  },
  listPromotionRules: {
    operationId: 'listPromotionRules',
    method: 'GET',
    path: '/promotion-rules',
    tag: 'PromotionRules',
    summary: 'List promotion rules',
    needs: 'promotion-rules:read',
    query: Type.Object({ ...pageParams, ...filters }, { additionalProperties: false }),
    reply: [200, listOf(PromotionRule)],
    refuses: ['cursorInvalid'],
  },
  getPromotionRule: {
    operationId: 'getPromotionRule',
    method: 'GET',
    path: '/promotion-rules/{id}',
    tag: 'PromotionRules',
    summary: 'Get a promotion rule',
    needs: 'promotion-rules:read',
    params: IdParams,
    reply: [200, dataOf(PromotionRule)],
    refuses: ['promotionRuleNotFound'],
  },
  updatePromotionRule: {
    operationId: 'updatePromotionRule',
    method: 'PATCH',
    path: '/promotion-rules/{id}',
    tag: 'PromotionRules',
    summary: 'Update a promotion rule',
    needs: 'promotion-rules:write',
    on: { params: { id: 'promotion-rules' } },
    params: IdParams,
    body: dataOf(UpdatePromotionRule),
    reply: [200, dataOf(PromotionRule)],
    refuses: ['promotionRuleNotFound'],
  },
  deletePromotionRule: {
    operationId: 'deletePromotionRule',
    method: 'DELETE',
    path: '/promotion-rules/{id}',
    tag: 'PromotionRules',
    summary: 'Delete a promotion rule',
    needs: 'promotion-rules:write',
    on: { params: { id: 'promotion-rules' } },
    params: IdParams,
    reply: noContent,
    refuses: ['promotionRuleNotFound'],
  },
} as const satisfies RouteTable
