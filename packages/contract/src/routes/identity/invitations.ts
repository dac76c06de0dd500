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
    needs: 'invitations:write',
    body: dataOf(CreateInvitation),
    reply: [201, dataOf(NewInvitation)],
    refuses: ['alreadyInvited', 'alreadyMember'],
  },
  listInvitations: {
    operationId: 'listInvitations',
    method: 'GET',
    path: '/invitations',
    tag: 'Memberships',
    summary: 'List invitations',
    needs: 'invitations:read',
    query: PageQuery,
    reply: [200, listOf(Invitation)],
    refuses: ['cursorInvalid'],
  },
  getInvitation: {
    operationId: 'getInvitation',
    method: 'GET',
    path: '/invitations/{id}',
    tag: 'Memberships',
    summary: 'Get an invitation',
    needs: 'invitations:read',
    params: IdParams,
    reply: [200, dataOf(Invitation)],
    refuses: ['invitationNotFound'],
  },
  deleteInvitation: {
    operationId: 'deleteInvitation',
    method: 'DELETE',
    path: '/invitations/{id}',
    tag: 'Memberships',
    summary: 'Revoke an invitation',
    needs: 'invitations:write',
    params: IdParams,
    reply: noContent,
    refuses: ['invitationNotFound'],
  },
  acceptInvitation: {
    operationId: 'acceptInvitation',
    method: 'POST',
    path: '/invitations/accept',
    tag: 'Memberships',
    summary: 'Accept an invitation',
    needs: 'anyone',
    body: dataOf(AcceptInvitation),
    maxBodyBytes: formBodyBytes,
    reply: [201, dataOf(Membership)],
    refuses: ['invitationNotFound', 'signInFailed', 'alreadyMember'],
  },
} as const satisfies RouteTable
