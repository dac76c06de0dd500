import { Type } from 'typebox'
import { ApprovalRule, CreateApprovalRule, UpdateApprovalRule } from '../../gates/approval-rule.ts'
import { dataOf } from '../../values/envelope.ts'
import { Id, IdParams } from '../../values/ids.ts'
import { listOf, pageParams } from '../../values/list.ts'
import { noContent, type RouteTable } from '../route.ts'

const closed = { additionalProperties: false } as const
const filters = { projectId: Type.Optional(Id), environmentId: Type.Optional(Id), moduleInstanceId: Type.Optional(Id) }

export const approvalRuleRoutes = {
  createApprovalRule: {
    operationId: 'createApprovalRule',
    method: 'POST',
    path: '/approval-rules',
    tag: 'ApprovalRules',
    summary: 'Create an approval rule',
    permission: 'approval-rules:write',
    on: { body: { projectId: 'projects', environmentId: 'environments', moduleInstanceId: 'module-instances' } },
    body: dataOf(CreateApprovalRule),
    response: [201, dataOf(ApprovalRule)],
    errors: ['referenceNotFound', 'tooManyApprovalRules'],
  },
  listApprovalRules: {
    operationId: 'listApprovalRules',
    method: 'GET',
    path: '/approval-rules',
    tag: 'ApprovalRules',
    summary: 'List approval rules',
    permission: 'approval-rules:read',
    query: Type.Object({ ...pageParams, ...filters }, closed),
    response: [200, listOf(ApprovalRule)],
    errors: ['cursorInvalid'],
  },
  getApprovalRule: {
    operationId: 'getApprovalRule',
    method: 'GET',
    path: '/approval-rules/{id}',
    tag: 'ApprovalRules',
    summary: 'Get an approval rule',
    permission: 'approval-rules:read',
    params: IdParams,
    response: [200, dataOf(ApprovalRule)],
    errors: ['approvalRuleNotFound'],
  },
  updateApprovalRule: {
    operationId: 'updateApprovalRule',
    method: 'PATCH',
    path: '/approval-rules/{id}',
    tag: 'ApprovalRules',
    summary: 'Update an approval rule',
    permission: 'approval-rules:write',
    on: { params: { id: 'approval-rules' } },
    params: IdParams,
    body: dataOf(UpdateApprovalRule),
    response: [200, dataOf(ApprovalRule)],
    errors: ['approvalRuleNotFound', 'referenceNotFound'],
  },
  deleteApprovalRule: {
    operationId: 'deleteApprovalRule',
    method: 'DELETE',
    path: '/approval-rules/{id}',
    tag: 'ApprovalRules',
    summary: 'Delete an approval rule',
    permission: 'approval-rules:write',
    on: { params: { id: 'approval-rules' } },
    params: IdParams,
    response: noContent,
    errors: ['approvalRuleNotFound'],
  },
} as const satisfies RouteTable
