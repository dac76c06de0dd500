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
    needs: 'memberships:read',
    query: Type.Object(
      { ...pageParams, role: Type.Optional(MemberRole), userId: Type.Optional(Id) },
      { additionalProperties: false },
    ),
    reply: [200, listOf(Membership)],
    refuses: ['cursorInvalid'],
  },
  getMembership: {
    operationId: 'getMembership',
    method: 'GET',
    path: '/memberships/{id}',
    tag: 'Memberships',
    summary: 'Get a membership',
    needs: 'memberships:read',
    params: IdParams,
    reply: [200, dataOf(Membership)],
    refuses: ['membershipNotFound'],
  },
  updateMembership: {
    operationId: 'updateMembership',
    method: 'PATCH',
    path: '/memberships/{id}',
    tag: 'Memberships',
    summary: 'Update the role of a member',
    needs: 'memberships:write',
    params: IdParams,
    body: dataOf(UpdateMembership),
    reply: [200, dataOf(Membership)],
    refuses: ['membershipNotFound', 'lastOwner'],
  },
  deleteMembership: {
    operationId: 'deleteMembership',
    method: 'DELETE',
    path: '/memberships/{id}',
    tag: 'Memberships',
    summary: "Remove a member and end the member's sessions and API keys",
    needs: 'memberships:write',
    params: IdParams,
    reply: noContent,
    refuses: ['membershipNotFound', 'lastOwner'],
  },
} as const satisfies RouteTable
