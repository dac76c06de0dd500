import { AcceptInvitation, CreateInvitation, Invitation, NewInvitation } from '../../identity/invitation.ts'
import { Membership } from '../../identity/membership.ts'
import { dataOf } from '../../values/envelope.ts'
import { IdParams } from '../../values/ids.ts'
import { listOf, PageQuery } from '../../values/list.ts'
import { formBodyBytes, noContent, type RouteTable } from '../route.ts'

export const invitationRoutes = {
  createInvitation: {
    operationId: 'createInvitation',
    method: 'POST',
    path: '/invitations',
    tag: 'Memberships',
    summary: 'Invite a user and return the token to pass on',
    permission: 'invitations:write',
    body: dataOf(CreateInvitation),
    response: [201, dataOf(NewInvitation)],
    errors: ['alreadyInvited', 'alreadyMember'],
  },
  listInvitations: {
    operationId: 'listInvitations',
    method: 'GET',
    path: '/invitations',
    tag: 'Memberships',
    summary: 'List invitations',
    permission: 'invitations:read',
    query: PageQuery,
    response: [200, listOf(Invitation)],
    errors: ['cursorInvalid'],
  },
  getInvitation: {
    operationId: 'getInvitation',
    method: 'GET',
    path: '/invitations/{id}',
    tag: 'Memberships',
    summary: 'Get an invitation',
    permission: 'invitations:read',
    params: IdParams,
    response: [200, dataOf(Invitation)],
    errors: ['invitationNotFound'],
  },
  deleteInvitation: {
    operationId: 'deleteInvitation',
    method: 'DELETE',
    path: '/invitations/{id}',
    tag: 'Memberships',
    summary: 'Revoke an invitation',
    permission: 'invitations:write',
    params: IdParams,
    response: noContent,
    errors: ['invitationNotFound'],
  },
  acceptInvitation: {
    operationId: 'acceptInvitation',
    method: 'POST',
    path: '/invitations/accept',
    tag: 'Memberships',
    summary: 'Accept an invitation',
    permission: 'anyone',
    body: dataOf(AcceptInvitation),
    maxBodyBytes: formBodyBytes,
    response: [201, dataOf(Membership)],
    errors: ['invitationNotFound', 'signInFailed', 'alreadyMember'],
  },
} as const satisfies RouteTable
