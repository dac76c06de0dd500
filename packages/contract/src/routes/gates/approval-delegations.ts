import { Type } from 'typebox'
import { ApprovalDelegation, CreateApprovalDelegation } from '../../gates/approval-delegation.ts'
import { dataOf } from '../../values/envelope.ts'
import { Id, IdParams } from '../../values/ids.ts'
import { listOf, pageParams } from '../../values/list.ts'
import { noContent, type RouteTable } from '../route.ts'

const closed = { additionalProperties: false } as const
const filters = { membershipId: Type.Optional(Id), delegateId: Type.Optional(Id) }

export const approvalDelegationRoutes = {
  createApprovalDelegation: {
    operationId: 'createApprovalDelegation',
    method: 'POST',
    path: '/approval-delegations',
    tag: 'ApprovalRules',
    summary: 'Delegate your approvals to another member',
    permission: 'approvals:write',
    body: dataOf(CreateApprovalDelegation),
    response: [201, dataOf(ApprovalDelegation)],
    errors: ['referenceNotFound', 'delegationImpossible'],
  },
  listApprovalDelegations: {
    operationId: 'listApprovalDelegations',
    method: 'GET',
    path: '/approval-delegations',
    tag: 'ApprovalRules',
    summary: 'List approval delegations, including expired ones',
    permission: 'approval-rules:read',
    query: Type.Object({ ...pageParams, ...filters }, closed),
    response: [200, listOf(ApprovalDelegation)],
    errors: ['cursorInvalid'],
  },
  deleteApprovalDelegation: {
    operationId: 'deleteApprovalDelegation',
    method: 'DELETE',
    path: '/approval-delegations/{id}',
    tag: 'ApprovalRules',
    summary: 'Delete an approval delegation',
    permission: 'approvals:write',
    params: IdParams,
    response: noContent,
    errors: ['approvalDelegationNotFound'],
  },
} as const satisfies RouteTable
