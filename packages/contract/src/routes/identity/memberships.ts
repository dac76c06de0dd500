import { Type } from 'typebox'
import { MemberRole, Membership, UpdateMembership } from '../../identity/membership.ts'
import { dataOf } from '../../values/envelope.ts'
import { Id, IdParams } from '../../values/ids.ts'
import { listOf, pageParams } from '../../values/list.ts'
import { noContent, type RouteTable } from '../route.ts'

export const membershipRoutes = {
  listMemberships: {
    operationId: 'listMemberships',
    method: 'GET',
    path: '/memberships',
    tag: 'Memberships',
    summary: 'List the members of the organization',
    permission: 'memberships:read',
    query: Type.Object(
      { ...pageParams, role: Type.Optional(MemberRole), userId: Type.Optional(Id) },
      { additionalProperties: false },
    ),
    response: [200, listOf(Membership)],
    errors: ['cursorInvalid'],
  },
  getMembership: {
    operationId: 'getMembership',
    method: 'GET',
    path: '/memberships/{id}',
    tag: 'Memberships',
    summary: 'Get a membership',
    permission: 'memberships:read',
    params: IdParams,
    response: [200, dataOf(Membership)],
    errors: ['membershipNotFound'],
  },
  updateMembership: {
    operationId: 'updateMembership',
    method: 'PATCH',
    path: '/memberships/{id}',
    tag: 'Memberships',
    summary: 'Update the role of a member',
    permission: 'memberships:write',
    params: IdParams,
    body: dataOf(UpdateMembership),
    response: [200, dataOf(Membership)],
    errors: ['membershipNotFound', 'lastOwner'],
  },
  deleteMembership: {
    operationId: 'deleteMembership',
    method: 'DELETE',
    path: '/memberships/{id}',
    tag: 'Memberships',
    summary: "Remove a member and end the member's sessions and API keys",
    permission: 'memberships:write',
    params: IdParams,
    response: noContent,
    errors: ['membershipNotFound', 'lastOwner'],
  },
} as const satisfies RouteTable
