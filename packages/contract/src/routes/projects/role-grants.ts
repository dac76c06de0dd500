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
    permission: 'role-grants:write',
    body: dataOf(CreateRoleGrant),
    response: [201, dataOf(RoleGrant)],
    errors: ['referenceNotFound', 'roleGrantTaken'],
  },
  listRoleGrants: {
    operationId: 'listRoleGrants',
    method: 'GET',
    path: '/role-grants',
    tag: 'Memberships',
    summary: 'List role grants on projects and environments',
    permission: 'role-grants:read',
    query: Type.Object(
      {
        ...pageParams,
        principalId: Type.Optional(Id),
        projectId: Type.Optional(Id),
        environmentId: Type.Optional(Id),
      },
      closed,
    ),
    response: [200, listOf(RoleGrant)],
    errors: ['cursorInvalid'],
  },
  getRoleGrant: {
    operationId: 'getRoleGrant',
    method: 'GET',
    path: '/role-grants/{id}',
    tag: 'Memberships',
    summary: 'Get a role grant',
    permission: 'role-grants:read',
    params: IdParams,
    response: [200, dataOf(RoleGrant)],
    errors: ['roleGrantNotFound'],
  },
  deleteRoleGrant: {
    operationId: 'deleteRoleGrant',
    method: 'DELETE',
    path: '/role-grants/{id}',
    tag: 'Memberships',
    summary: 'Revoke a role grant',
    permission: 'role-grants:write',
    params: IdParams,
    response: noContent,
    errors: ['roleGrantNotFound'],
  },
  getPermissions: {
    operationId: 'getPermissions',
    method: 'GET',
    path: '/permissions',
    tag: 'Auth',
    summary: 'Get the permissions of the caller in a scope',
    permission: 'caller',
    query: Type.Object(PermissionsAbout, closed),
    response: [200, dataOf(EffectivePermissions)],
    errors: ['projectNotFound', 'environmentNotFound', 'pipelineRunNotFound', 'pipelineStepExecutionNotFound'],
  },
} as const satisfies RouteTable
