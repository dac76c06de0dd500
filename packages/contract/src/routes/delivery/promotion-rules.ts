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
    permission: 'promotion-rules:write',
    on: { body: { fromEnvironmentId: 'environments', environmentId: 'environments' } },
    body: dataOf(CreatePromotionRule),
    response: [201, dataOf(PromotionRule)],
    errors: ['referenceNotFound', 'promotionRuleExists', 'promotionStepInvalid', 'tooManyPromotionRules'],
  },
  listPromotionRules: {
    operationId: 'listPromotionRules',
    method: 'GET',
    path: '/promotion-rules',
    tag: 'PromotionRules',
    summary: 'List promotion rules',
    permission: 'promotion-rules:read',
    query: Type.Object({ ...pageParams, ...filters }, { additionalProperties: false }),
    response: [200, listOf(PromotionRule)],
    errors: ['cursorInvalid'],
  },
  getPromotionRule: {
    operationId: 'getPromotionRule',
    method: 'GET',
    path: '/promotion-rules/{id}',
    tag: 'PromotionRules',
    summary: 'Get a promotion rule',
    permission: 'promotion-rules:read',
    params: IdParams,
    response: [200, dataOf(PromotionRule)],
    errors: ['promotionRuleNotFound'],
  },
  updatePromotionRule: {
    operationId: 'updatePromotionRule',
    method: 'PATCH',
    path: '/promotion-rules/{id}',
    tag: 'PromotionRules',
    summary: 'Update a promotion rule',
    permission: 'promotion-rules:write',
    on: { params: { id: 'promotion-rules' } },
    params: IdParams,
    body: dataOf(UpdatePromotionRule),
    response: [200, dataOf(PromotionRule)],
    errors: ['promotionRuleNotFound'],
  },
  deletePromotionRule: {
    operationId: 'deletePromotionRule',
    method: 'DELETE',
    path: '/promotion-rules/{id}',
    tag: 'PromotionRules',
    summary: 'Delete a promotion rule',
    permission: 'promotion-rules:write',
    on: { params: { id: 'promotion-rules' } },
    params: IdParams,
    response: noContent,
    errors: ['promotionRuleNotFound'],
  },
} as const satisfies RouteTable
