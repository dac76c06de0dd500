import { Type } from 'typebox'
import { dataOf } from '../envelope.ts'
import { Id, IdParams } from '../ids.ts'
import { listOf, pageParams } from '../list.ts'
import { CreateRoleGrant, EffectivePermissions, RoleGrant } from '../role-grant.ts'
import { noContent, type RouteTable } from './route.ts'

const closed = { additionalProperties: false } as const

export const roleGrantRoutes = {
  createRoleGrant: {
    operationId: 'createRoleGrant',
    method: 'POST',
    path: '/role-grants',
    tag: 'Memberships',
    summary: 'Give somebody a role on a project or an environment',
    needs: 'role-grants:write',
    body: dataOf(CreateRoleGrant),
    reply: [201, dataOf(RoleGrant)],
    refuses: ['referenceNotFound', 'roleGrantTaken'],
  },
  listRoleGrants: {
    operationId: 'listRoleGrants',
    method: 'GET',
    path: '/role-grants',
    tag: 'Memberships',
    summary: 'List who has which role on which project or environment',
    needs: 'role-grants:read',
    query: Type.Object(
      {
        ...pageParams,
        principalId: Type.Optional(Id),
        projectId: Type.Optional(Id),
        environmentId: Type.Optional(Id),
      },
      closed,
    ),
    reply: [200, listOf(RoleGrant)],
    refuses: ['cursorInvalid'],
  },
  getRoleGrant: {
    operationId: 'getRoleGrant',
    method: 'GET',
    path: '/role-grants/{id}',
    tag: 'Memberships',
    summary: 'Get a role that somebody has on a project or an environment',
    needs: 'role-grants:read',
    params: IdParams,
    reply: [200, dataOf(RoleGrant)],
    refuses: ['roleGrantNotFound'],
  },
  deleteRoleGrant: {
    operationId: 'deleteRoleGrant',
    method: 'DELETE',
    path: '/role-grants/{id}',
    tag: 'Memberships',
    summary: 'Take a role on a project or an environment away, at once',
    needs: 'role-grants:write',
    params: IdParams,
    reply: noContent,
    refuses: ['roleGrantNotFound'],
  },
  getPermissions: {
    operationId: 'getPermissions',
    method: 'GET',
    path: '/permissions',
    tag: 'Auth',
    summary: 'What the caller may do in the organization, in a project or in an environment',
    needs: 'caller',
    query: Type.Object({ projectId: Type.Optional(Id), environmentId: Type.Optional(Id) }, closed),
    reply: [200, dataOf(EffectivePermissions)],
    refuses: ['projectNotFound', 'environmentNotFound'],
  },
} as const satisfies RouteTable
