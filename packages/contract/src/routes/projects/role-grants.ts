import { Type } from 'typebox'
import { CreateRoleGrant, EffectivePermissions, RoleGrant } from '../../projects/role-grant.ts'
import { dataOf } from '../../values/envelope.ts'
import { Id, IdParams } from '../../values/ids.ts'
import { listOf, pageParams } from '../../values/list.ts'
import { noContent, type RouteTable } from '../route.ts'

const closed = { additionalProperties: false } as const

const named = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 100, description }))

const PermissionsAbout = {
  projectId: Type.Optional(Id),
  environmentId: Type.Optional(Id),
  pipelineRunId: named(
    'ID of a pipeline run, to get permissions in its scope. Cannot be combined with the fields above.',
  ),
  stepExecutionId: named(
    'ID of a waiting step, to get permissions in every scope that a decision affects. Cannot be combined with other fields.',
  ),
}

export const roleGrantRoutes = {
  createRoleGrant: {
    operationId: 'createRoleGrant',
    method: 'POST',
    path: '/role-grants',
    tag: 'Memberships',
    summary: 'Grant a role on a project or an environment',
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
    summary: 'List role grants on projects and environments',
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
    summary: 'Get a role grant',
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
    summary: 'Revoke a role grant',
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
    summary: 'Get the permissions of the caller in a scope',
    needs: 'caller',
    query: Type.Object(PermissionsAbout, closed),
    reply: [200, dataOf(EffectivePermissions)],
    refuses: ['projectNotFound', 'environmentNotFound', 'pipelineRunNotFound', 'pipelineStepExecutionNotFound'],
  },
} as const satisfies RouteTable
